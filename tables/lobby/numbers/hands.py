"""The numbers of dealt hands: points, sequences, jokers, and the points left after each turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from core.pages.charts import Chart, Value, bar_chart
from tables.lobby.numbers.figures import (
    GUESSES,
    PERCENT,
    Fact,
    Number,
    Plot,
    Row,
    Section,
    interval_text,
    number,
    plot,
    samples_text,
    shown,
)

RULES: Final = {
    "total-rummy": gettext_lazy("Total Rummy"),
    "rummycentral": gettext_lazy("RummyCentral"),
    "vengala-2-decks": gettext_lazy("Vengala, 2 decks"),
    "vengala-3-decks": gettext_lazy("Vengala, 3 decks"),
}
USUAL: Final = "total-rummy"
DRAWN: Final = (USUAL, "vengala-2-decks")
"""The rules whose distributions are drawn; the others are much like one of them."""
BAND: Final = 10
CAP: Final = 80
MOST_JOKERS: Final = 6
MOST_TURNS: Final = 15
WILD_RANKS: Final = "A 2 3 4 5 6 7 8 9 T J Q K PJ"


def dealt_section() -> Section:
    """Return the numbers of all dealt hands, and their comparison between rules and wild ranks."""
    titles = {
        "points": _("Points of a dealt hand"),
        "both": _("Hands with both sequences, in percent"),
    }
    return Section(
        name="hand",
        title=_("The dealt hand"),
        text=[
            _(
                "Thirteen cards are counted at their fewest points, as if somebody else declared "
                "at once. Most hands cost the cap: without both sequences every card counts."
            ),
            _(
                "Under Vengala's rules one of the required sequences has four cards, and a hand "
                "without the sequences costs the cap."
            ),
        ],
        tables=("dealt", "counted"),
        facts=tuple(_facts()),
        bars=tuple(chart for rules in DRAWN if (chart := _points_chart(rules)) is not None),
        plots=(
            *(
                plot(
                    title,
                    [
                        Row(str(name), _of(rules, "all", measure), _guess(rules, "all", measure))
                        for rules, name in RULES.items()
                    ],
                    unit="hands",
                    factor=PERCENT if measure == "both" else 1,
                )
                for measure, title in titles.items()
            ),
            plot(
                _("Points by the wild rank, Total Rummy"),
                [Row(_wild(rank), _of(USUAL, f"wild {rank}", "points")) for rank in _ranks()],
                unit="hands",
                is_folded=True,
            ),
        ),
    )


def joker_section() -> Section:
    """Return what jokers are worth."""
    held = range(MOST_JOKERS + 1)
    chances = [
        Value(str(jokers), round(found.value * 10_000), f"{shown(found.value * PERCENT, 1)} %")
        for jokers in held
        if (found := number("counted", USUAL, "all", f"jokers={jokers}")) is not None
    ]
    return Section(
        name="jokers",
        title=_("What a joker is worth"),
        text=[
            _(
                "The first joker saves most, because it turns a pure sequence into a hand whose "
                "other cards count. From the third joker on both sequences become rarer again: "
                "every joker takes the place of a card that a pure sequence needs."
            ),
            _("A pure sequence alone saves nothing: without the second sequence all cards count."),
        ],
        tables=("dealt", "counted"),
        bars=tuple(
            bar_chart(_("Number of jokers in a dealt hand, in percent of hands"), listed)
            for listed in ([chances] if chances else [])
        ),
        plots=(
            plot(
                _("Points by the number of jokers, Total Rummy"),
                [
                    Row(_jokers(n), _held(USUAL, n, "points"), _guess(USUAL, _group(n), "points"))
                    for n in held
                ],
                unit="hands",
            ),
            *(
                plot(
                    _("Hands with both sequences in percent, %(rules)s") % {"rules": RULES[rules]},
                    [Row(_jokers(n), _held(rules, n, "both")) for n in held],
                    unit="hands",
                    factor=PERCENT,
                )
                for rules in DRAWN
            ),
        ),
    )


def turns_section() -> Section:
    """Return the points left in a hand after each turn."""
    return Section(
        name="turns",
        title=_("Points left after each turn"),
        text=[
            _(
                "Deals of points rummy in which nobody drops. A hand is counted after its turn "
                "while the deal goes on, and as 0 after the show. Hands of later turns are those "
                "of longer deals."
            )
        ],
        tables=("played-on",),
        plots=tuple(_turns_plot(players) for players in (2, 6)),
    )


def _turns_plot(players: int) -> Plot:
    cell = f"total-rummy-points, {players} seats, greedy"
    return plot(
        _("%(players)s players") % {"players": players},
        [
            Row(
                _("Turn %(number)s") % {"number": turn} if turn else _("As dealt"),
                number("played-on", cell, f"turn {turn}", "held"),
            )
            for turn in range(MOST_TURNS + 1)
        ],
        unit="deals",
    )


def _facts() -> Iterator[Fact]:
    named = {
        "points": (_("Mean points"), 1, 1),
        "pure": (_("With a pure sequence"), PERCENT, 1),
        "both": (_("With both sequences"), PERCENT, 1),
        f"points={CAP}": (_("At the cap of 80"), PERCENT, 1),
        "declarable": (_("Declarable as dealt"), PERCENT, 2),
    }
    for measure, (name, factor, decimals) in named.items():
        counted = number("counted", USUAL, "all", measure)
        found = counted or _of(USUAL, "all", measure)
        if found is None:
            continue
        found = found.scaled(factor)
        text = shown(found.value, decimals) + (" %" if factor == PERCENT else "")
        guess = GUESSES[("dealt", USUAL, "all", measure)]
        parts = [
            interval_text(found, decimals),
            samples_text(found.samples, "hands"),
            _("guess: %(number)s") % {"number": shown(guess, 1)},
        ]
        yield Fact(name, text, "; ".join(filter(None, parts)))


def _points_chart(rules: str) -> Chart | None:
    """Return the share of hands by bands of ten points; None if they are not measured."""
    shares = [
        [_of(rules, "all", f"points={points}") for points in range(first, min(first + BAND, CAP))]
        for first in range(0, CAP, BAND)
    ]
    shares.append([_of(rules, "all", f"points={CAP}")])
    if not any(found for band in shares for found in band):
        return None
    values = []
    for at, band in enumerate(shares):
        share = sum(found.value for found in band if found is not None)
        name = f"{at * BAND}–{at * BAND + BAND - 1}" if at * BAND < CAP else str(CAP)
        values.append(Value(name, round(share * 10_000), f"{shown(share * PERCENT, 1)} %"))
    title = _("Points of a dealt hand in percent of hands, %(rules)s") % {"rules": RULES[rules]}
    return bar_chart(title, values)


def _of(rules: str, group: str, measure: str) -> Number | None:
    return number("dealt", rules, group, measure)


def _group(jokers: int) -> str:
    return f"{jokers} jokers"


def _held(rules: str, jokers: int, measure: str) -> Number | None:
    return _of(rules, _group(jokers), measure)


def _guess(rules: str, group: str, measure: str) -> float | None:
    return GUESSES.get(("dealt", rules, group, measure))


def _jokers(count: int) -> str:
    return ngettext("%(count)s joker", "%(count)s jokers", count) % {"count": count}


def _ranks() -> list[str]:
    return WILD_RANKS.split()


def _wild(rank: str) -> str:
    return _("Printed joker (aces are wild)") if rank == "PJ" else rank.replace("T", "10")
