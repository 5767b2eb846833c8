"""Cards, phases and percentages as pages show them."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from django import template
from django.utils.translation import gettext_lazy as _

register = template.Library()

PHASES = {
    "waiting": _("Waiting for players"),
    "toss": _("Toss"),
    "playing": _("Playing"),
    "showing": _("Meld window"),
    "settling": _("Being scored"),
    "rejoin": _("Rejoin window"),
    "split": _("Split offer"),
    "between": _("Between deals"),
    "finished": _("Finished"),
    "cancelled": _("Cancelled"),
}
ENDINGS = {
    "won": _("won the deal"),
    "lost": _("lost"),
    "first_drop": _("first drop"),
    "middle_drop": _("middle drop"),
    "wrong_show": _("wrong show"),
}


@dataclass(frozen=True)
class Face:
    """A card in notation, with what its picture needs."""

    code: str

    @property
    def rank(self) -> str:
        return "10" if self.code[0] == "T" else self.code[0]

    @property
    def suit(self) -> str:
        return self.code[1]

    @property
    def is_joker(self) -> bool:
        return self.code == "PJ"

    @property
    def is_red(self) -> bool:
        return not self.is_joker and self.suit in "HD"


@register.filter
def melds(arrangement: str) -> list[tuple[str, list[Face]]]:
    """Return the groups of "5H 6H 7H | KD KS KC / 9C QD" with their kind, "meld" or "deadwood"."""
    grouped, _stroke, loose = arrangement.partition("/")
    rows = [("meld", group) for group in grouped.split("|")] + [("deadwood", loose)]
    return [(kind, [Face(code) for code in text.split()]) for kind, text in rows if text.split()]


@register.filter
def phase_name(phase: str) -> str:
    return str(PHASES.get(phase, phase))


@register.filter
def how_name(how: str) -> str:
    return str(ENDINGS.get(how, how))


@register.filter
def percent(bps: int) -> str:
    """Return basis points as a percentage without idle zeros.

    >>> percent(1000), percent(250)
    ('10', '2.5')
    """
    return f"{(Decimal(bps) / 100).normalize():f}"
