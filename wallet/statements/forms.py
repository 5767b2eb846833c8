"""The filters of a statement, read from the query string."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from core.pages.day_input import DayInput
from players.accounts.models import User
from wallet.ledger.models import Account, Transfer
from wallet.statements.statement import Statement, kind_label


class StatementForm(forms.Form):
    currency = forms.ChoiceField(required=False, label=_("Currency"))
    kind = forms.ChoiceField(required=False, label=_("What"))
    booked_from = forms.DateField(required=False, label=_("From"), widget=DayInput())
    booked_to = forms.DateField(required=False, label=_("To"), widget=DayInput())

    def __init__(self, *args: Any, player: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._player = player
        held = Account.objects.of_player(player).order_by("currency").values_list("currency")
        self._offer("currency", [(code, code) for (code,) in held.distinct()])
        self._offer("kind", [(kind.value, kind_label(kind)) for kind in Transfer.Kind])

    def clean(self) -> dict[str, Any]:
        chosen = self.cleaned_data
        first, last = chosen.get("booked_from"), chosen.get("booked_to")
        if first and last and first > last:
            self.add_error("booked_to", _("The last day must not be before the first."))
        return chosen

    def statement(self) -> Statement:
        """Return the filtered statement; the form is valid."""
        return Statement(player=self._player, **self.cleaned_data)

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", _("All")), *choices]
