"""The filters of the tournament list, read from the query string."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.lobby.lists import KINDS, TournamentFilter, currencies_played, variants_played

TABS: Final = {
    "open": _("Open"),
    "running": _("Running"),
    "mine": _("My tournaments"),
    "over": _("Finished"),
}


class CurrencyField(forms.ChoiceField):
    """A currency code in any case."""

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).upper()


class TournamentListForm(forms.Form):
    """Filters of the tournament list; an invalid one is reported and ignored."""

    show = forms.ChoiceField(
        choices=list(TABS.items()),
        required=False,
        widget=forms.HiddenInput,
        error_messages={
            "invalid_choice": _("There is no list “%(value)s”. Showing open tournaments.")
        },
    )
    kind = forms.ChoiceField(
        label=_("Format"),
        choices=[(kind, label) for kind, (label, _condition) in KINDS.items()],
        required=False,
    )
    variant = forms.ChoiceField(label=_("Rules"), required=False)
    currency = CurrencyField(label=_("Played for"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, played in (("variant", variants_played()), ("currency", currencies_played())):
            choices = [("", _("All")), *((each, each) for each in played)]
            self.fields[name].choices = choices  # type: ignore[attr-defined]

    def chosen_filter(self) -> TournamentFilter:
        self.is_valid()
        return TournamentFilter(
            **{name: value for name, value in self.cleaned_data.items() if value}
        )

    def query(self, **instead: str) -> str:
        """Return the valid filters as a query string."""
        self.is_valid()
        parts = {name: self.cleaned_data.get(name) for name in self.fields} | instead
        return urlencode([(name, value) for name, value in parts.items() if value])

    def tabs(self) -> list[tuple[str, str, bool]]:
        """Return the label, the URL with the present filters, and whether it is active, by tab."""
        chosen = self.chosen_filter().show
        return [
            (str(name), f"?{self.query(show=show)}", show == chosen) for show, name in TABS.items()
        ]

    def is_filtered(self) -> bool:
        """Return whether a filter besides the tab is set, valid or not."""
        return any(self.data.get(name) for name in self.fields if name != "show")
