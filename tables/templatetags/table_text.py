"""Template filters for cards, phases, moves and percentages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django import template
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from tables.games import PROFILES
from tables.history.replay import ReplayMove
from tables.view.wrong_show import REASONS
from wallet.ledger.money import as_money

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
PRACTICE = {
    "random": _("Bots: easy"),
    "greedy": _("Bots: medium"),
    "strong": _("Bots: strong"),
}
ENDINGS = {
    "won": _("won the deal"),
    "lost": _("lost"),
    "first_drop": _("first drop"),
    "middle_drop": _("middle drop"),
    "wrong_show": _("wrong show"),
    "left": _("left the table"),
}

STANDINGS = {
    "won": _("won"),
    "first_drop": _("dropped"),
    "middle_drop": _("dropped"),
    "wrong_show": _("wrong show"),
    "left": _("left the table"),
}
DEAL_ENDINGS = {
    "show": _("won by a show"),
    "out": _("the winner went out"),
    "last_standing": _("the last one left won"),
    "exhausted": _("the stock was used up: the lowest hand won"),
    "too_long": _("the turns were used up: the lowest hand won"),
}
# A move by its action; a `miss` with a card has a text of its own.
MOVES = {
    "ds": _("drew %(card)s from the stock"),
    "do": _("took %(card)s from the open pile"),
    "x": _("discarded %(card)s"),
    "drop": _("dropped"),
    "show": _("declared, finishing with %(card)s"),
    "meld": _("laid down groups"),
    "lay": _("laid off %(card)s"),
    "turn": _("turned the open pile over"),
    "miss": _("missed the turn"),
    "leave": _("left the table"),
}
MISSED_WITH_A_CARD = _("missed the turn; %(card)s was discarded")
KINDS = {
    "pure_sequence": _("Pure sequence"),
    "sequence": _("Sequence"),
    "set": _("Set"),
    "jokers": _("Jokers"),
}
SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


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


def named_in(texts: Mapping[str, Any]) -> Callable[[str], str]:
    """Return a filter that replaces a code by its text, and leaves unknown codes unchanged."""
    return lambda code: str(texts.get(code, code))


register.filter("phase_name", named_in(PHASES))
register.filter("how_name", named_in(ENDINGS))
register.filter("standing_name", named_in(STANDINGS))
register.filter("ending_name", named_in(DEAL_ENDINGS))
# Names of practice tables by the strength of their bots.
register.filter("practice_name", named_in(PRACTICE))


@register.filter
def kind_name(kind: str | None) -> str:
    return str(KINDS.get(kind or "", _("Not a group")))


@register.filter
def reason_names(reasons: list[str]) -> str:
    return ", ".join(str(REASONS.get(reason, reason)) for reason in reasons)


@register.filter
def card_name(code: str | None) -> str:
    """Return a card's name for people.

    >>> card_name("TD"), card_name("7H")
    ('10♦', '7♥')
    """
    if not code:
        return ""
    if code == "PJ":
        return str(_("a joker"))
    return f"{Face(code).rank}{SUITS[code[1]]}"


@register.filter
def card_names(cards: str) -> str:
    """Return the names of cards for people.

    >>> card_names("TD PJ")
    '10♦ a joker'
    """
    return " ".join(map(card_name, cards.split()))


@register.filter
def move_text(move: ReplayMove) -> str:
    """Return the text of a move in a replay: "drew 7♥ from the stock"."""
    text = MOVES.get(move.action, move.text)
    if move.action == "miss" and move.card:
        text = MISSED_WITH_A_CARD
    return str(text) % {"card": card_name(move.card)} if move.card else str(text)


@register.filter
def seconds(milliseconds: int | None) -> str:
    """Return a duration in seconds for people.

    >>> seconds(12_345), seconds(400)
    ('12.3 s', '0.4 s')
    """
    if milliseconds is None:
        return ""
    return str(_("%(seconds)s s")) % {"seconds": f"{milliseconds / 1000:.1f}"}


@register.filter
def lasting(span: timedelta | None) -> str:
    """Return a duration in its two largest units: "2 h 5 min"; at least 0."""
    if span is None:
        return ""
    left, parts = max(0, int(span.total_seconds())), []
    for size, unit in ((86_400, _("d")), (3_600, _("h")), (60, _("min")), (1, _("s"))):
        number, left = divmod(left, size)
        if number:
            parts.append(f"{number} {unit}")
    return " ".join(parts[:2]) or f"0 {_('s')}"


@register.filter
def about(span: timedelta | None) -> str:
    """Return an expected wait for people: "under 1 min", "about 5 min", "about 2 h".

    >>> about(timedelta(seconds=20)), about(timedelta(minutes=4, seconds=1))
    ('under 1 min', 'about 5 min')
    """
    if span is None:
        return ""
    minutes = -(span // timedelta(minutes=-1))
    if minutes <= 1:
        return str(_("under 1 min"))
    if minutes < 90:
        return str(_("about %(n)d min")) % {"n": minutes}
    return str(_("about %(n)d h")) % {"n": round(minutes / 60)}


@register.filter
def percent(bps: int) -> str:
    """Return basis points as a percentage without trailing zeros.

    >>> percent(1000), percent(250)
    ('10', '2.5')
    """
    return f"{(Decimal(bps) / 100).normalize():f}"


@register.filter
def plain_amount(amount: Any) -> str:
    """Return an amount of money as the value of a number field: `80.00`."""
    return str(as_money(amount.minor, amount.currency).amount)


@register.filter
def rules_address(profile: str) -> str:
    """Return the URL of the rules page of a profile such as "total-rummy-pool-101 v2"."""
    name, _space, version = profile.rpartition(" v")
    return f"{reverse('rules', args=[name])}?version={version}"


@register.filter
def lesson_address(profile: str) -> str:
    """Return the URL of the lesson with the numbers of a profile."""
    name, _space, _version = profile.rpartition(" v")
    known = name in PROFILES
    return f"{reverse('how-to-play')}?rules={name}" if known else reverse("how-to-play")


@register.filter
def hundredths(minor: int) -> str:
    """Return minor units of an unspecified currency in decimals.

    >>> hundredths(39000), hundredths(5)
    ('390.00', '0.05')
    """
    return f"{minor // 100}.{minor % 100:02}"
