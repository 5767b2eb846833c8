"""Games across a year's end: the tax is the same whenever the year is settled."""

import pytest
from django.db import transaction
from moneyed import Money

from tables.models.tables import Table
from tables.seats import seating
from tests.builders.people.regions import region_open
from tests.builders.tables.findings import make_cash_player
from tests.builders.tables.making import make_rules, make_table
from tests.builders.tables.playing import reread
from tests.builders.tables.points_tables import make_points_table, next_deal, play_deal, stack_of
from tests.builders.tables.pools import YES, nobody_rejoins, open_window, say, score
from tests.builders.tournaments.tournaments import (
    make_sit_and_go,
    play_table,
    play_to_the_end,
    tables_of,
    tick,
)
from tests.builders.wallet.players import make_escrow, make_stake
from tests.builders.wallet.stakes import take
from tests.builders.wallet.tax_office import let_years_pass, undone, win
from tournaments.lobby import registration
from wallet.audit.audit import row_findings
from wallet.ledger.days import site_day
from wallet.ledger.money import as_money
from wallet.stakes import stakes
from wallet.tax import withholding
from wallet.tax.arithmetic import financial_year
from wallet.tax.assessment import unsettled_years

pytestmark = pytest.mark.django_db
OUT = 101


@pytest.fixture(autouse=True)
def karnataka_is_open():
    with region_open("IN-KA"):
        yield


def make_cash_winner(rupees=1_000):
    """Return a player with 1,000.00 deposited and so much won, in rupees."""
    player = make_cash_player()
    win(player, rupees)
    return player


def year_end(player):
    """Return D, what of it is in games, the net winnings and the tax, settled now and by itself."""
    year = financial_year(site_day())
    [end] = unsettled_years(player, "INR", before=year)
    with undone():
        [row] = withholding.settle_past_years(player=player, currency="INR")
    assert (row.closing_minor, row.tax_minor) == (end.figures.closing, end.tax)
    return row.closing_minor, row.in_games_minor, row.net_minor, row.tax_minor


def cash_pool(players):
    table = make_table(
        rules=make_rules(gap_seconds=60),
        currency="INR",
        seats_min=len(players),
        seats_max=len(players),
    )
    for player in players:
        seating.join(table_id=table.pk, player=player)
    return reread(table)


def scored(table, **points):
    """Settle a deal at these totals, by the players' handles."""
    seats = table.seats.in_seat_order().select_related("player")
    here = [seat for seat in seats if seat.player.handle in points]
    return score(table, *(points[seat.player.handle] for seat in here))


@pytest.fixture
def three():
    """Return the winner whose tax is in question, and two others."""
    return make_cash_winner(), make_cash_player(), make_cash_player()


def totals_of(players, *totals):
    return {player.handle: total for player, total in zip(players, totals, strict=True)}


# D, what of it is in games, net winnings and tax.
LOST, IN_GAME = (1900_00, 0, 900_00, 270_00), (2000_00, 100_00, 1000_00, 300_00)
# The totals after each deal before midnight, and after it; None for a player who is out.
POOLS = {
    "lost before midnight": ((OUT, 0, 50), [(None, 20, 60), (None, 20, OUT)], LOST),
    "lost after midnight": ((20, 0, 50), [(OUT, 0, 50), (None, 0, OUT)], IN_GAME),
    "won after midnight": ((20, 0, 50), [(20, OUT, OUT)], IN_GAME),
}


@pytest.mark.parametrize(("before", "after", "figures"), POOLS.values(), ids=POOLS)
def test_year_end_uses_the_pool_stake_at_midnight(three, before, after, figures):
    def deal(table, totals):
        points = totals_of(three, *totals)
        played = {handle: total for handle, total in points.items() if total is not None}
        return nobody_rejoins(scored(table, **played))

    table = deal(cash_pool(three), before)
    let_years_pass()

    found = [year_end(three[0])]
    for totals in after:
        table = deal(table, totals)
        found.append(year_end(three[0]))

    assert table.phase == Table.Phase.FINISHED
    assert found == [figures] * (1 + len(after))
    assert row_findings() == ()


def test_a_rejoin_after_midnight_changes_nothing_of_the_year_before(three):
    table = scored(cash_pool(three), **totals_of(three, OUT, 0, 50))
    let_years_pass()

    at_midnight = year_end(three[0])
    say(table, open_window(table).answers.get().seat.number, YES)
    in_mid_game = year_end(three[0])
    nobody_rejoins(scored(reread(table), **totals_of(three, OUT, 0, 60)))
    after_the_rejoin = year_end(three[0])
    scored(reread(table), **totals_of(three[1:], 0, OUT))
    after_the_end = year_end(three[0])

    # Out before midnight; the entry that the rejoin cost was still in the wallet then.
    assert at_midnight == (1900_00, 0, 900_00, 270_00)
    assert [in_mid_game, after_the_rejoin, after_the_end] == [at_midnight] * 3
    assert row_findings() == ()


def test_an_entry_lost_before_midnight_and_refunded_after_it_is_income_of_the_next_year(three):
    escrow = make_escrow()
    lost, kept = (take(player, escrow, key=f"buyin:{player.pk}") for player in three[:2])
    stakes.lose_stake(stake=lost)
    let_years_pass()

    at_midnight = year_end(three[0])
    stakes.cancel_game(
        escrow=escrow,
        stakes=[lost, kept],
        key="cancel:1",
        shares=[(three[0], Money(90, "INR")), (three[1], Money(100, "INR"))],
    )
    after_the_end = year_end(three[0])

    assert at_midnight == after_the_end == (1900_00, 0, 900_00, 270_00)
    assert row_findings() == ()


def test_year_end_uses_the_points_stack_at_midnight():
    players = make_cash_winner(), make_cash_player()
    table = make_points_table(seats_min=2, currency="INR", rake_bps=1_000)
    mine, other = (
        seating.join(table_id=table.pk, player=player, stack=as_money(200_00, "INR"))
        for player in players
    )
    table = reread(table)

    def deal(winner):
        positions = reread(table).deals.latest("no").deal_seats.order_by("position")
        play_deal(table, *(0 if place.seat_id == winner.pk else 40 for place in positions))

    deal(mine)
    assert stack_of(table, mine) == 236_00  # 40.00 won, less a rake of 4.00.
    let_years_pass()

    at_midnight = year_end(players[0])
    for _ in range(2):
        next_deal(table)
        deal(other)
    in_mid_game = year_end(players[0])
    for seat in (mine, other):
        seating.leave(seat_id=seat.pk)
    after_the_end = year_end(players[0])

    # 2,000.00 and 36.00 won before midnight; 80.00 were lost after it.
    assert at_midnight == (2036_00, 236_00, 1036_00, 310_80)
    assert (in_mid_game, after_the_end) == (at_midnight, at_midnight)
    assert stack_of(table, mine) == 0
    assert row_findings() == ()


@pytest.mark.parametrize("survives", [True, pytest.param(False, marks=pytest.mark.extended)])
def test_year_end_uses_the_tournament_entry_at_midnight(survives):
    players = [make_cash_winner() for _ in range(9)]
    tournament = make_sit_and_go(currency="INR", entrants_max=9, seats=3, qualify=1, final_seats=3)
    for player in players:
        registration.register(tournament_id=tournament.pk, player=player)
    tournament = tick(tournament)
    first, *rest = tables_of(tournament)
    play_table(first)
    best = reread(first).results.order_by("place")
    seats = [result.seat for result in best.select_related("seat__player")]
    player = seats[0].player if survives else seats[-1].player
    let_years_pass()

    at_midnight = year_end(player)
    for table in rest:
        play_table(table)
    tournament = tick(tournament)
    in_mid_game = year_end(player)
    tournament = play_to_the_end(tournament)
    after_the_end = year_end(player)

    assert tournament.is_over
    assert at_midnight[0] in (2000_00, 1900_00)
    assert (in_mid_game, after_the_end) == (at_midnight, at_midnight)
    assert row_findings() == ()


def test_year_end_tax_is_limited_to_the_balance_at_midnight():
    player = make_cash_winner()
    escrow = make_escrow()
    stake = take(player, escrow, entry="1950.00")
    other = make_stake(escrow=escrow, entry=Money(1950, "INR"))
    let_years_pass()

    at_midnight = year_end(player)
    with transaction.atomic():
        stakes.settle_game(
            escrow=escrow,
            stakes=[stake, other],
            prizes=[(player, Money(3510, "INR"))],
            key="finish:1",
        )
    after_the_end = year_end(player)

    # 300.00 are owed; 50.00 were not in the game, and the rest is taxed in the next year.
    assert at_midnight == (2000_00, 1950_00, 1000_00, 50_00)
    assert after_the_end == at_midnight
