"""The numbers of whole deals and pools: seats, rejoins, splits, rake, and straight rummy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tables.lobby.numbers.figures import (
    BASIS_POINTS,
    GUESSES,
    PERCENT,
    Cell,
    Grid,
    Number,
    Plot,
    Row,
    Section,
    cell,
    measured,
    number,
    plot,
    shown,
)

POINTS: Final = "total-rummy-points"
SEATS: Final = range(2, 7)
BOTS: Final = ("greedy", "strong")
RAKES: Final = (5, 10, 12)
USUAL_POOL: Final = "total-rummy-pool-101"
POOLS: Final = {
    "total-rummy-pool-61": gettext_lazy("Pool 61"),
    "total-rummy-pool-101": gettext_lazy("Pool 101"),
    "total-rummy-pool-201": gettext_lazy("Pool 201"),
    "vengala-pool-101": gettext_lazy("Vengala pool 101"),
}


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
                "A rejoin costs one entry. It pays if more than that comes back in the end; the "
                "drops left are those after the rejoin."
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
        grids=tuple(grid for grid in (*_rejoin_grids(), *_split_grids()) if grid.rows),
    )


def _pool_rows(measure: str) -> Iterator[Row]:
    for name, title in POOLS.items():
        for players in SEATS:
            guess = GUESSES.get(("pools", f"{name}, {players} seats", "pool", measure))
            for bot in BOTS:
                found = number("pools", f"{name}, {players} seats, {bot}", "pool", measure)
                yield Row(f"{title}, {players_text(players)}", found, guess, _note(bot))


def _rejoin_grids() -> Iterator[Grid]:
    """Yield what a rejoin of each pool is paid in the end, by survivors and drops left."""
    rows: dict[str, list[tuple[str, list[Cell]]]] = {}
    for name, group, measure in sorted(measured("pools")):
        rules, seats, bot = name.split(", ")
        paid = number("pools", name, group, "returned")
        if measure != "prize" or bot != "greedy" or paid is None or paid.low is None:
            continue
        survivors, drops = group.removeprefix("rejoined ").removesuffix(" drops left").split(", ")
        title = _("%(pool)s, %(players)s; %(survivors)s others left, drops left: %(drops)s") % {
            "pool": POOLS[rules],
            "players": players_text(int(seats.split()[0])),
            "survivors": survivors,
            "drops": drops,
        }
        prize = number("pools", name, group, "prize")
        cells = [cell(paid, factor=BASIS_POINTS), cell(prize, factor=BASIS_POINTS)]
        answer = _pays(paid.scaled(BASIS_POINTS))
        line = (title, [answer, *cells, Cell(shown(paid.samples, 0))])
        rows.setdefault(rules, []).append(line)
    columns = [
        _("Answer"),
        _("Paid, in percent of the entry"),
        _("Paid, in percent of the prize"),
        _("Pools"),
    ]
    title = _("Is a rejoin worth its price?")
    for rules, lines in rows.items():
        is_usual = rules == USUAL_POOL
        caption = title if is_usual else f"{title} {POOLS[rules]}"
        yield Grid(caption, columns, lines, is_folded=not is_usual)


def _pays(returned: Number) -> Cell:
    """Return whether a rejoin is paid more than its price, by the whole interval."""
    assert returned.low is not None, "the mean has an interval"
    assert returned.high is not None, "the mean has an interval"
    if returned.low > PERCENT:
        return Cell(_("Rejoin"), kind="good")
    if returned.high < PERCENT:
        return Cell(_("Decline"), kind="bad")
    return Cell(_("Either"), kind="even")


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
            "players": players_text(int(seats.split()[0])),
            "place": place,
            "left": left,
        }
        cells = [cell(one, factor=BASIS_POINTS) for one in (offered, paid)]
        answer = _accepts(offered, paid)
        rows.append((title, [answer, *cells, Cell(shown(offered.samples, 0))]))
        if answer.kind in {"good", "bad"}:
            clear.append(rows[-1])
    columns = [_("Answer"), _("Offered %"), _("Paid by playing on %"), _("Offers")]
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
                title = " ".join(filter(None, (players_text(players), _note(bot))))
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


def open_meld_section() -> Section:
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
        grids=tuple(_house_rules_grid(players) for players in (2, 4)),
    )


def _house_rules_grid(players: int) -> Grid:
    """Return what each house rule alone changes for this number of players (RB 9.4)."""
    texts = {
        "": _("No house rule"),
        ", one meld a turn": _("At most one meld a turn"),
        ", meld before laying off": _("Laying off only after a meld of one's own"),
        ", taken card not discarded": _("The taken card may not be discarded at once"),
        ", no refill": _("The deal ends with the stock"),
        ", bonus of 10 for rummy": _("A bonus of 10 for going rummy, instead of double points"),
        ", aces high and low": _("Aces high or low, at 15 points"),
        ", aces round the corner": _("Aces round the corner, at 15 points"),
        ", last card discarded": _("The last card must be discarded"),
        ", penalty scoring": _("Every player scores the points of their own hand"),
    }
    measures = (("deal", "turns", 1), ("deal", "rummy", PERCENT), ("loser", "points", 1))
    rows = []
    for name, text in texts.items():
        found = [
            (number("straight", f"{players} seats, greedy{name}", group, measure), factor)
            for group, measure, factor in measures
        ]
        if any(one for one, _factor in found):
            rows.append((text, [cell(one, factor=factor) for one, factor in found]))
    title = _("%(players)s: what each house rule changes") % {"players": players_text(players)}
    columns = [_("Turns of a deal"), _("Won by going rummy, in percent"), _("Points of a loser")]
    return Grid(title, columns, rows, is_folded=players > SEATS[0])


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
            yield Row(players_text(players), found, guess, _note(bot), line)


def players_text(players: int) -> str:
    return _("%(players)s players") % {"players": players}


def _note(bot: str) -> str:
    return _("(strong bots)") if bot == "strong" else ""
