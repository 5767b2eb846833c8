"""The numbers of the first drop: what playing on brings, by hand, seats and position."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from rummy.numbers.lookup import POOL_TOTALS, UNEQUAL_TOTALS
from tables.lobby.numbers.figures import (
    BASIS_POINTS,
    Cell,
    Grid,
    Number,
    Section,
    interval_text,
    measured,
    number,
    samples_text,
    shown,
)
from tables.lobby.numbers.games import POINTS, SEATS, players_text

POOL: Final = "total-rummy-pool-101"
DROPS: Final = (20, 10, 25)
"""The prices of a first drop that the page compares with; the first is the usual one."""
JOKERS: Final = {
    "0 jokers": gettext_lazy("No joker"),
    "1 jokers": gettext_lazy("1 joker"),
    "2 jokers": gettext_lazy("2 jokers"),
    "3 jokers or more": gettext_lazy("3 jokers or more"),
}
MET: Final = {
    "no pure": gettext_lazy("no pure sequence"),
    "pure only": gettext_lazy("only a pure sequence"),
    "both": gettext_lazy("both sequences"),
}


def drop_section(drop: int) -> Section:
    """Return when the first drop is right, if it costs `drop` points at points tables."""
    price = {"drop": drop}
    return Section(
        name="drop",
        title=_("When to drop"),
        text=[
            _(
                "At a points table, playing on is compared with a first drop of %(drop)s points. "
                "Below each verdict is what playing on brings on average: all points won, or your "
                "own points with a minus, with the 95 %% interval and the number of deals."
            )
            % price,
            _(
                "Jokers and sequences decide more than the points of a hand. The more players, the "
                "more often the drop is right, unless you hold jokers."
            ),
            _(
                "The hands of the first table cost more than the drop, or about as much, if you "
                "play on while all others drop by the same table."
            ),
            _(
                "In a pool a win brings no points, so there the gain is a difference in the chance "
                "of the prize, in points of percent; below 0 the drop is better."
            ),
        ],
        tables=("first-drops", "played-on", "pool-drops"),
        grids=tuple(
            grid
            for grid in (
                *_rule_grids(drop),
                *_same_table_grids(drop),
                *_alone_grids(drop),
                *_pool_grids(),
            )
            if grid.rows
        ),
    )


def _rule_grids(drop: int) -> Iterator[Grid]:
    """Yield the table by which all players drop: the hands that a seat drops, by players."""
    known = measured("first-drops")
    cells = {players: f"{POINTS}, {players} seats, drop {drop}" for players in SEATS}
    deals = {
        players: found.samples
        for players, name in cells.items()
        if (found := known.get((name, "seat 1", "won"))) is not None
    }
    rows = []
    for held, title in _hands():
        seats = {
            players: [
                seat
                for seat in range(1, players + 1)
                if (cells[players], f"position {seat}, {held}", "drops") in known
            ]
            for players in deals
        }
        if any(seats.values()):
            rows.append((title, [_decision(listed, players) for players, listed in seats.items()]))
    columns = [
        f"{players_text(players)} ({samples_text(samples, 'deals')})"
        for players, samples in deals.items()
    ]
    yield Grid(_("Hands to drop in the first turn; play on with all others"), columns, rows)


def _decision(seats: list[int], players: int) -> Cell:
    if not seats:
        return Cell(_("Play on"), kind="good")
    if len(seats) == players:
        return Cell(_("Drop"), kind="bad")
    listed = ", ".join(map(str, seats))
    text = ngettext("seat %(seats)s", "seats %(seats)s", len(seats)) % {"seats": listed}
    return Cell(_("Drop"), text, "bad")


def _same_table_grids(drop: int) -> Iterator[Grid]:
    """Yield what playing on brings against players who drop by the same table."""
    name = f"{POINTS}, {{}} seats, drop {drop}"
    by_seats = [(players_text(players), name.format(players), "{}") for players in SEATS]
    title = _("Points table, others drop by the same table")
    yield _drop_grid(title, "first-drops", by_seats, drop)
    for players in reversed(SEATS):
        by_place = [
            (
                _("Seat %(number)s") % {"number": seat},
                name.format(players),
                f"position {seat}, {{}}",
            )
            for seat in range(1, players + 1)
        ]
        title = _("%(players)s by seat, others drop by the same table") % {
            "players": players_text(players)
        }
        yield _drop_grid(title, "first-drops", by_place, drop, is_folded=players < SEATS[-1])


def _alone_grids(drop: int) -> Iterator[Grid]:
    """Yield what playing on brings if nobody drops."""
    name = f"{POINTS}, {{}} seats, greedy"
    by_seats = [(players_text(players), name.format(players), "hand {}") for players in SEATS]
    by_place = [
        (_("First seat"), name.format(6), "hand {}, first"),
        (_("Seats between"), name.format(6), "hand {}, between"),
        (_("Last seat"), name.format(6), "hand {}, last"),
    ]
    yield _drop_grid(_("Points table, nobody drops"), "played-on", by_seats, drop)
    title = _("Points table with 6 players, by seat, nobody drops")
    yield _drop_grid(title, "played-on", by_place, drop)


def _drop_grid(
    title: str,
    table: str,
    columns: list[tuple[str, str, str]],
    drop: int,
    *,
    is_folded: bool = False,
) -> Grid:
    """Return the verdicts; a column has a title, a cell and the form of its groups' names."""
    known = {(name, group) for name, group, _measure in measured(table)}
    columns = [
        column
        for column in columns
        if any((column[1], column[2].format(held)) in known for held, _title in _hands())
    ]

    def found(held: str) -> list[Cell]:
        return [
            _verdict(number(table, name, form.format(held), "net"), -drop)
            for _title, name, form in columns
        ]

    return Grid(title, [title for title, _name, _form in columns], list(_rows(found)), is_folded)


def _hands() -> Iterator[tuple[str, str]]:
    """Yield the kinds of hands: their names in the files, and their titles."""
    for jokers, jokers_text in JOKERS.items():
        for met, met_text in MET.items():
            yield f"{jokers}, {met}", f"{jokers_text}, {met_text}"


def _pool_grids() -> Iterator[Grid]:
    for total in POOL_TOTALS:
        cells = {
            players: f"{POOL}, {players} seats at {total}, greedy"
            for players in SEATS
            if number("pool-drops", f"{POOL}, {players} seats at {total}, greedy", "all", "gain")
        }

        def found(held: str, cells: dict[int, str] = cells) -> list[Cell]:
            gains = [number("pool-drops", name, f"hand {held}", "gain") for name in cells.values()]
            return [_verdict(gain and gain.scaled(BASIS_POINTS), 0) for gain in gains]

        title = _("Pool 101, all totals at %(total)s") % {"total": total}
        columns = [players_text(players) for players in cells]
        yield Grid(title, columns, list(_rows(found)), is_folded=True)
    for players, alone, others in UNEQUAL_TOTALS:
        name = f"{POOL}, {players} seats, {alone} against {others}, greedy"

        def gains(held: str, name: str = name, at: tuple[int, int] = (alone, others)) -> list[Cell]:
            return [
                _verdict(gain and gain.scaled(BASIS_POINTS), 0)
                for gain in (
                    number("pool-drops", name, f"hand at {total}, {held}", "gain") for total in at
                )
            ]

        rows = list(_rows(gains))
        if rows:
            text = _("Pool 101 with %(players)s: one total at %(alone)s, the others at %(others)s")
            named = {"players": players_text(players), "alone": alone, "others": others}
            columns = [_("Seat at %(total)s") % {"total": total} for total in (alone, others)]
            yield Grid(text % named, columns, rows, is_folded=True)


def _rows(cells_of: Callable[[str], list[Cell]]) -> Iterator[tuple[str, list[Cell]]]:
    """Yield a row for each kind of hand of which at least one cell has an interval."""
    for held, title in _hands():
        cells = cells_of(held)
        if any(one.kind for one in cells):
            yield title, cells


def _verdict(found: Number | None, least: float) -> Cell:
    """Return whether playing on is worth more than `least`, by the whole interval."""
    if found is None or found.low is None or found.high is None:
        return Cell("–")
    if found.high < least:
        text, kind = _("Drop"), "bad"
    elif found.low > least:
        text, kind = _("Play on"), "good"
    else:
        text, kind = _("Either"), "even"
    detail = f"{shown(found.value, 1)} ({interval_text(found, 1)})"
    return Cell(text, detail, kind, samples_text(found.samples, "deals"))
