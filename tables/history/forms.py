"""The forms of a player's history: filters for games, and opening a dispute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from core.pages.dates import DayInput
from players.accounts.models import User
from tables.history.games import games_of, variants_of
from tables.integrity.moderation.dispute_models import Dispute
from tables.models.seats import Seat

if TYPE_CHECKING:
    from tables.history.games import Sitting


class GamesForm(forms.Form):
    """Filters for a player's games, read from the query."""

    variant = forms.ChoiceField(required=False, label=_("Rules"))
    started_from = forms.DateField(required=False, label=_("From"), widget=DayInput())
    started_to = forms.DateField(required=False, label=_("To"), widget=DayInput())

    def __init__(self, *args: Any, player: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._player = player
        field = self.fields["variant"]
        assert isinstance(field, forms.ChoiceField)
        played = [(variant, variant) for variant in variants_of(player)]
        field.choices = [("", _("All")), *played]

    def clean(self) -> dict[str, Any]:
        chosen = self.cleaned_data
        first, last = chosen.get("started_from"), chosen.get("started_to")
        if first and last and first > last:
            self.add_error("started_to", _("Choose a last day on or after the first day."))
        return chosen

    def games(self) -> QuerySet[Sitting]:
        """Return the selected sittings; none if the form is not valid."""
        if not self.is_valid():
            return cast("QuerySet[Sitting]", Seat.objects.none())
        return games_of(self._player, **self.cleaned_data)


class DisputeForm(forms.Form):
    category = forms.ChoiceField(choices=Dispute.Category.choices, label=_("What is it about?"))
    text = forms.CharField(
        max_length=Dispute.LONGEST,
        label=_("What happened?"),
        widget=forms.Textarea(attrs={"rows": 6}),
    )
