"""The numbers of whole deals and pools: drops, seats, splits, rake, and straight rummy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tables.lobby.numbers.figures import (
    BASIS_POINTS,
    PERCENT,
    Cell,
    Grid,
    Number,
    Plot,
    Row,
    Section,
    cell,
    interval_text,
    measured,
    number,
    plot,
    shown,
)
from tables.lobby.numbers.guesses import GUESSES

POINTS: Final = "total-rummy-points"
POOL: Final = "total-rummy-pool-101"
SEATS: Final = range(2, 7)
BOTS: Final = ("greedy", "strong")
DROPS: Final = (20, 10, 25)
"""The prices of a first drop that the page compares with; the first is the usual one."""
RAKES: Final = (5, 10, 12)
POOL_TOTALS: Final = (0, 40, 60, 80)
"""The totals of all players at which the first drop in a pool is measured."""
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
POOLS: Final = {
    "total-rummy-pool-61": gettext_lazy("Pool 61"),
    "total-rummy-pool-101": gettext_lazy("Pool 101"),
    "total-rummy-pool-201": gettext_lazy("Pool 201"),
    "vengala-pool-101": gettext_lazy("Vengala pool 101"),
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
                "own points with a minus, with the 95 %% interval."
            )
            % price,
            _(
                "Not the points of a hand decide, but its jokers and sequences. The more players, "
                "the more often the drop is right, unless you hold jokers."
            ),
            _(
                "In a pool a win brings no points, so there the gain is a difference in the chance "
                "of the prize, in points of percent; below 0 the drop is better."
            ),
        ],
        tables=("first-drops", "played-on", "pool-drops"),
        grids=tuple(
            grid
            for grid in (*_same_table_grids(drop), *_alone_grids(drop), *_pool_grids())
            if grid.rows
        ),
    )


def _same_table_grids(drop: int) -> Iterator[Grid]:
    """Yield what playing on brings against players who drop by the same table."""
    name = f"{POINTS}, {{}} seats, drop {drop}"
    by_seats = [(_players(players), name.format(players), "{}") for players in SEATS]
    by_place = [
        (_("Seat %(number)s") % {"number": seat}, name.format(6), f"position {seat}, {{}}")
        for seat in range(1, 7)
    ]
    title = _("Points table, others drop by the same table")
    yield _drop_grid(title, "first-drops", by_seats, drop)
    title = _("Points table with 6 players, by seat, others drop by the same table")
    yield _drop_grid(title, "first-drops", by_place, drop)


def _alone_grids(drop: int) -> Iterator[Grid]:
    """Yield what playing on brings if nobody drops."""
    name = f"{POINTS}, {{}} seats, greedy"
    by_seats = [(_players(players), name.format(players), "hand {}") for players in SEATS]
    by_place = [
        (_("First seat"), name.format(6), "hand {}, first"),
        (_("Seats between"), name.format(6), "hand {}, between"),
        (_("Last seat"), name.format(6), "hand {}, last"),
    ]
    yield _drop_grid(_("Points table, nobody drops"), "played-on", by_seats, drop)
    title = _("Points table with 6 players, by seat, nobody drops")
    yield _drop_grid(title, "played-on", by_place, drop)


def _drop_grid(title: str, table: str, columns: list[tuple[str, str, str]], drop: int) -> Grid:
    """Return the verdicts; a column has a title, a cell and the form of its groups' names."""
    known = {(name, group) for name, group, _measure in measured(table)}
    columns = [
        column
        for column in columns
        if any((column[1], column[2].format(held)) in known for held in _hands())
    ]

    def found(held: str) -> list[Cell]:
        return [
            _verdict(number(table, name, form.format(held), "net"), -drop)
            for _title, name, form in columns
        ]

    return Grid(title, [title for title, _name, _form in columns], list(_rows(found)))


def _hands() -> Iterator[str]:
    return (f"{jokers}, {met}" for jokers in JOKERS for met in MET)


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
        columns = [_players(players) for players in cells]
        yield Grid(title, columns, list(_rows(found)), is_folded=True)


def _rows(cells_of: object) -> Iterator[tuple[str, list[Cell]]]:
    """Yield a row for each kind of hand of which at least one cell has an interval."""
    assert callable(cells_of), "a function of the hand's name"
    for jokers, jokers_text in JOKERS.items():
        for met, met_text in MET.items():
            cells = cells_of(f"{jokers}, {met}")
            if any(one.kind for one in cells):
                yield f"{jokers_text}, {met_text}", cells


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
    return Cell(text, f"{shown(found.value, 1)} ({interval_text(found, 1)})", kind)


def seat_section() -> Section:
    """Return how often each seat wins and how long deals last."""
    return Section(
        name="position",
        title=_("Seats and length of a deal"),
        text=[
            _(
                "Nobody drops in these deals. The line is an equal share of wins. The lead passes "
                "on with each deal, so that it is shared over a pool."
            )
        ],
        tables=("played-on",),
        plots=(
            _seat_plot(_("The first seat wins, in percent of deals"), first=True),
            _seat_plot(_("The last seat wins, in percent of deals"), first=False),
            plot(
                _("Turns of the winner"),
                _by_seats("played-on", POINTS, "deal", "turns"),
                unit="deals",
            ),
        ),
    )


def _seat_plot(title: str, *, first: bool) -> Plot:
    rows = [
        row
        for players in SEATS
        for row in _by_seats(
            "played-on",
            POINTS,
            f"seat {1 if first else players}",
            "won",
            seats=(players,),
            line=PERCENT / players,
        )
    ]
    return plot(title, rows, unit="deals", factor=PERCENT)


def pool_section() -> Section:
    """Return deals, rejoins and splits of whole pools."""
    measures = {
        "deals": (_("Deals of a pool"), 1),
        "rejoined": (_("Pools with a rejoin, in percent"), PERCENT),
        "offered": (_("Pools with a split offer that the players may refuse, in percent"), PERCENT),
        "auto_split": (_("Pools that ended with an automatic split, in percent"), PERCENT),
    }
    return Section(
        name="pools",
        title=_("Pools"),
        text=[
            _(
                "Whole pools of bots that drop, rejoin at most twice when it pays, and never agree "
                "to a split."
            ),
            _(
                "The table compares the first split offer with what the same players were paid in "
                "the end, because nobody agreed: who is paid more by playing on should refuse."
            ),
        ],
        tables=("pools",),
        plots=tuple(
            plot(title, _pool_rows(measure), unit="pools", factor=factor)
            for measure, (title, factor) in measures.items()
        ),
        grids=tuple(_split_grids()),
    )


def _pool_rows(measure: str) -> Iterator[Row]:
    for name, title in POOLS.items():
        for players in SEATS:
            guess = GUESSES.get(("pools", f"{name}, {players} seats", "pool", measure))
            for bot in BOTS:
                found = number("pools", f"{name}, {players} seats, {bot}", "pool", measure)
                yield Row(f"{title}, {_players(players)}", found, guess, _note(bot))


def _split_grids() -> Iterator[Grid]:
    """Yield the offers with a clear answer, and all offers."""
    rows, clear = [], []
    for name, group, measure in measured("pools"):
        rules, seats, bot = name.split(", ")
        if measure != "share" or bot != "greedy" or rules not in POOLS:
            continue
        offered, paid = (number("pools", name, group, one) for one in ("share", "prize"))
        if offered is None or paid is None:
            continue
        left, place = group.removeprefix("split of ").split(", total ")
        title = _("%(pool)s, %(players)s; total %(place)s of %(left)s") % {
            "pool": POOLS[rules],
            "players": _players(int(seats.split()[0])),
            "place": place,
            "left": left,
        }
        cells = [cell(one, factor=BASIS_POINTS) for one in (offered, paid)]
        answer = _accepts(offered, paid)
        rows.append((title, [*cells, answer, Cell(shown(offered.samples, 0))]))
        if answer.kind in {"good", "bad"}:
            clear.append(rows[-1])
    columns = [_("Offered %"), _("Paid by playing on %"), _("Answer"), _("Offers")]
    yield Grid(_("Split offers with a clear answer, by rank of the total"), columns, clear)
    yield Grid(_("All split offers (rank 1 is the lowest total)"), columns, rows, is_folded=True)


def _accepts(offered: Number, paid: Number) -> Cell:
    if None in (offered.low, offered.high, paid.low, paid.high):
        return Cell("–")
    if (offered.low or 0) > (paid.high or 0):
        return Cell(_("Agree"), kind="good")
    if (offered.high or 0) < (paid.low or 0):
        return Cell(_("Refuse"), kind="bad")
    return Cell(_("Either"), kind="even")


def rake_section() -> Section:
    """Return what deals at points tables move, and what rake costs each seat."""
    rows = []
    for players in SEATS:
        for bot in BOTS:
            pot = number("points-tables", f"{POINTS}, {players} seats, {bot}", "deal", "pot")
            if pot is not None:
                costs = [cell(pot, factor=rake / PERCENT / players, decimals=2) for rake in RAKES]
                title = " ".join(filter(None, (_players(players), _note(bot))))
                rows.append((title, [cell(pot), *costs, Cell(shown(pot.samples, 0))]))
    rakes = [_("Rake of %(rake)s %%") % {"rake": rake} for rake in RAKES]
    return Section(
        name="rake",
        title=_("Points tables and rake"),
        text=[
            _(
                "The pot is what all losers of a deal pay together, in points. A rake is taken "
                "from it; the columns state what it costs each player per deal. You must win that "
                "much from the others to break even."
            )
        ],
        tables=("points-tables",),
        plots=(
            plot(
                _("Points of a loser"),
                _by_seats("points-tables", POINTS, "loser", "points"),
                unit="deals",
            ),
            plot(
                _("Losers that dropped, in percent"),
                _by_seats("points-tables", POINTS, "loser", "dropped"),
                unit="deals",
                factor=PERCENT,
            ),
        ),
        grids=(
            Grid(_("Cost of the rake per player and deal"), [_("Pot"), *rakes, _("Deals")], rows),
        ),
    )


def straight_section() -> Section:
    """Return the length and the results of deals of straight rummy."""
    measures = {
        ("deal", "turns"): (_("Turns of a deal"), 1),
        ("dealt", "meld"): (_("Dealt hands with a meld, in percent"), PERCENT),
        ("deal", "rummy"): (_("Deals won by going rummy, in percent"), PERCENT),
        ("loser", "points"): (_("Points of a loser"), 1),
    }
    return Section(
        name="straight",
        title=_("Straight rummy"),
        text=[_("Deals of straight rummy with open melds by the rules of our tables.")],
        tables=("straight",),
        plots=tuple(
            plot(title, _by_seats("straight", "", group, measure), unit="deals", factor=factor)
            for (group, measure), (title, factor) in measures.items()
        ),
    )


def _by_seats(
    table: str,
    rules: str,
    group: str,
    measure: str,
    *,
    seats: range | tuple[int, ...] = SEATS,
    line: float | None = None,
) -> Iterator[Row]:
    for players in seats:
        guess = GUESSES.get((table, f"{players} seats", group, measure))
        for bot in BOTS:
            name = ", ".join(filter(None, (rules, f"{players} seats", bot)))
            found = number(table, name, group, measure)
            yield Row(_players(players), found, guess, _note(bot), line)


def _players(players: int) -> str:
    return _("%(players)s players") % {"players": players}


def _note(bot: str) -> str:
    return _("(strong bots)") if bot == "strong" else ""
