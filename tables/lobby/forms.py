"""The lobby's filters, read from and written to the URL's query."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.utils.translation import gettext_lazy as _

from tables.games import GAMES
from tables.lobby.offers import LobbyFilter

TITLES = {"": _("All")} | {name: game.title for name, game in GAMES.items()}
KINDS = {"": _("All"), "practice": _("Practice with bots"), "people": _("With people")}
SEATS = ("", "2", "3", "4", "5", "6")
DIGITS: dict[str, Any] = {"max_digits": 12, "decimal_places": 2, "min_value": 0}


class LobbyForm(forms.Form):
    """Reads filters from the query; invalid ones get an error and are ignored."""

    game = forms.ChoiceField(choices=list(TITLES.items()), required=False, widget=forms.HiddenInput)
    kind = forms.ChoiceField(label=_("Tables"), choices=list(KINDS.items()), required=False)
    currency = forms.ChoiceField(label=_("Played for"), required=False)
    entry_min = forms.DecimalField(label=_("Entry from"), required=False, **DIGITS)
    entry_max = forms.DecimalField(label=_("Entry to"), required=False, **DIGITS)
    seats = forms.TypedChoiceField(
        label=_("Seats"),
        choices=[(number, number or _("All")) for number in SEATS],
        coerce=int,
        empty_value=None,
        required=False,
    )

    def __init__(self, *args: Any, currencies: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(code, code) for code in currencies]
        self.fields["currency"].choices = [("", _("All")), *choices]  # type: ignore[attr-defined]

    def chosen_filter(self) -> LobbyFilter:
        self.is_valid()
        return LobbyFilter(**self.cleaned_data)

    def query(self, **instead: str) -> str:
        """Return the valid filters as a query string, with changes."""
        parts = dict(self.chosen_values()) | instead
        return urlencode([(name, parts[name]) for name in self.fields if parts.get(name)])

    def chosen_values(self) -> list[tuple[str, str]]:
        """Return the valid filters as pairs of name and text."""
        self.is_valid()
        values = ((name, self.cleaned_data.get(name)) for name in self.fields)
        return [(name, str(value)) for name, value in values if value not in ("", None)]

    def tabs(self) -> list[tuple[str, str, bool]]:
        """Return each variant's title, its query with the other filters, and if it is active."""
        chosen = self.chosen_filter().game
        return [
            (str(name), f"?{self.query(game=game)}", game == chosen)
            for game, name in TITLES.items()
        ]
