"""The lobby's filters, read from and written to the URL's query."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tables.games import GAMES
from tables.lobby.offers import LobbyFilter
from wallet.ledger.money import PLAY_POINTS

TITLES = {"": _("All")} | {name: game.title for name, game in GAMES.items()}
KINDS = {"": _("All"), "practice": _("Practice with bots"), "people": _("With people")}
SEATS = ("", "2", "3", "4", "5", "6")
DIGITS: dict[str, Any] = {"max_digits": 12, "decimal_places": 2, "min_value": 0}


def currency_label(code: str) -> str:
    """Return the text of a currency's tab: "Play points", "Real money (₹)"."""
    if code == PLAY_POINTS:
        return gettext("Play points")
    return gettext("Real money (%(currency)s)") % {"currency": "₹" if code == "INR" else code}


class LobbyForm(forms.Form):
    """Reads filters from the query; invalid ones get an error and are ignored."""

    game = forms.ChoiceField(choices=list(TITLES.items()), required=False, widget=forms.HiddenInput)
    kind = forms.ChoiceField(label=_("Tables"), choices=list(KINDS.items()), required=False)
    # A tab: play points, or one of the currencies of money.
    currency = forms.ChoiceField(required=False, widget=forms.HiddenInput)
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
        self.fields["currency"].choices = [  # type: ignore[attr-defined]
            ("", ""),
            *((code, code) for code in currencies),
        ]

    def chosen_filter(self) -> LobbyFilter:
        """Return the valid filters; without a currency, that of play points."""
        self.is_valid()
        wanted = dict(self.cleaned_data)
        return LobbyFilter(**wanted | {"currency": wanted.get("currency") or PLAY_POINTS})

    def query(self, **instead: str) -> str:
        """Return the valid filters as a query string, with changes."""
        parts = dict(self.chosen_values()) | instead
        return urlencode([(name, parts[name]) for name in self.fields if parts.get(name)])

    def chosen_values(self) -> list[tuple[str, str]]:
        """Return the valid filters as pairs of name and text."""
        self.is_valid()
        values = ((name, self.cleaned_data.get(name)) for name in self.fields)
        return [(name, str(value)) for name, value in values if value not in ("", None)]

    def currency_tabs(self, currencies: Collection[str]) -> list[tuple[str, str, bool]]:
        """Return the label, the query and whether it is active, by currency; none for only one."""
        if len(currencies) < 2:
            return []
        chosen = self.chosen_filter().currency
        return [
            (
                currency_label(code),
                f"?{self.query(currency='' if code == PLAY_POINTS else code)}",
                code == chosen,
            )
            for code in currencies
        ]

    def tabs(self) -> list[tuple[str, str, bool]]:
        """Return each variant's title, its query with the other filters, and if it is active."""
        chosen = self.chosen_filter().game
        return [
            (str(name), f"?{self.query(game=game)}", game == chosen)
            for game, name in TITLES.items()
        ]
