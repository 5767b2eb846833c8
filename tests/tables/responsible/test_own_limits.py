"""A player's own limits on tables and time, checked before they sit down or pay in more."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone
from moneyed import Money

from players.exceptions import TableLimitReached, TimeLimitReached
from players.limits.own_limits import set_own_limit
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.responsible.time_played import free_again, spans_at_tables, total
from tables.responsible.verdicts import TABLES, TIME, time_today
from tables.seats import seating
from tables.seats import stacks as table_stacks
from tests.builders.processes.threads import at_once
from tests.builders.tables.making import make_player, make_table, sat
from tests.builders.tables.points_tables import make_points_table
from tests.builders.tables.pools import YES, make_pool, say, score
from tests.builders.tournaments.tournaments import make_tournament
from tests.builders.wallet.players import books
from tournaments.lobby import registration

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def limit_tables(player, number):
    return set_own_limit(player=player, scope=TABLES, most=number, is_proved=True)


def limit_minutes(player, number):
    return set_own_limit(player=player, scope=TIME, most=number, is_proved=True)


def test_own_limit_of_tables_counts_running_games_only():
    player = make_player()
    limit = limit_tables(player, 2)
    seats = [seating.join(table_id=make_table().pk, player=player) for _ in range(2)]
    third = make_table()
    before = books()

    with pytest.raises(TableLimitReached, match=r"2 tables at the same time\. Finish or") as no:
        seating.join(table_id=third.pk, player=player)

    assert books() == before
    assert no.value.code == "table_limit"
    assert no.value.details == {"since": limit.applies_at.isoformat()}
    seating.leave(seat_id=seats[0].pk)
    seating.join(table_id=third.pk, player=player)

    pool = make_pool(players=3)
    eliminated = pool.seats.get(number=1).player
    limit_tables(eliminated, 1)
    score(pool, 101, 20, 30)
    assert not pool.seats.active().filter(player=eliminated).exists()
    seating.join(table_id=make_table().pk, player=eliminated)


def test_player_over_the_time_limit_cannot_sit_down_until_older_hours_expire():
    player = make_player()
    limit_minutes(player, 120)
    sat(player, begun=3 * HOUR, lasted=HOUR)
    table = make_table()
    seating.join(table_id=table.pk, player=player)
    seating.leave(seat_id=table.seats.get().pk)
    sat(player, begun=1.5 * HOUR, lasted=HOUR)

    with pytest.raises(TimeLimitReached, match="120 minutes at tables in 24 hours") as no:
        seating.join(table_id=table.pk, player=player)

    free = timezone.now() + 21 * HOUR
    assert no.value.code == "time_limit"
    assert abs(datetime.fromisoformat(no.value.details["until"]) - free) < timedelta(minutes=1)


def test_time_limit_refuses_top_ups_rejoins_and_tournaments():
    player = make_player()
    points = make_points_table()
    seat = seating.join(table_id=points.pk, player=player)
    limit_minutes(player, 60)
    sat(player, begun=2 * HOUR, lasted=HOUR)

    with pytest.raises(TimeLimitReached):
        table_stacks.top_up(seat_id=seat.pk, no=2, amount=Money(80, "PTS"))
    with pytest.raises(TimeLimitReached):
        registration.register(tournament_id=make_tournament().pk, player=player)

    pool = make_pool(players=3)
    out = pool.seats.get(number=1)
    score(pool, 101, 20, 30)
    limit_minutes(out.player, 60)
    sat(out.player, begun=2 * HOUR, lasted=HOUR)
    before = books()
    with pytest.raises(TimeLimitReached):
        say(pool, 1, YES)
    assert books() == before


def test_running_game_continues_after_the_time_limit():
    table = make_pool(players=2)
    player = table.seats.get(number=1).player
    sat(player, begun=2 * HOUR, lasted=HOUR)
    limit_minutes(player, 60)

    score(table, 20, 30)

    assert time_today(player).until is not None
    assert Table.objects.get(pk=table.pk).phase == Table.Phase.BETWEEN
    assert table.seats.active().filter(player=player).exists()


def test_bots_have_no_limits():
    bot = make_player(is_bot=True)
    limit_tables(bot, 1)

    for _ in range(2):
        seating.join(table_id=make_table(bots_fill=True).pk, player=bot)


def test_overlapping_sittings_count_once():
    player = make_player()
    sat(player, begun=5 * HOUR, lasted=2 * HOUR)
    sat(player, begun=4 * HOUR, lasted=2 * HOUR)
    sat(player, begun=1 * HOUR, lasted=None)
    sat(player, begun=30 * HOUR, lasted=7 * HOUR)
    sat(make_player(), begun=3 * HOUR, lasted=HOUR)
    now = timezone.now()

    spans = spans_at_tables([player.pk], since=now - 24 * HOUR, until=now)

    assert [round((ends - begins) / HOUR, 2) for begins, ends in spans] == [1, 3, 1]
    assert abs(time_today(player).played - 5 * HOUR) < timedelta(minutes=1)


AT_NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("spans", "hours", "free"),
    [
        ([(0, 2)], 2, 24),  # The moment it is no longer two hours.
        ([(0, 3)], 2, 25),
        ([(0, 1), (4, 6)], 2, 28),  # When the first hour is gone it is still two.
        ([(0, 1), (4, 6)], 1, 29),
    ],
)
def test_time_is_free_again_when_the_oldest_expires(spans, hours, free):
    played = [(AT_NOON + begins * HOUR, AT_NOON + ends * HOUR) for begins, ends in spans]

    assert total(played) >= hours * HOUR
    assert free_again(played, hours * HOUR, 24 * HOUR) == AT_NOON + free * HOUR


@pytest.mark.django_db(transaction=True)
def test_concurrent_seats_are_counted_in_sequence():
    player = make_player()
    limit_tables(player, 1)
    tables = [make_table().pk, make_table().pk]

    outcomes = at_once(
        [
            lambda: seating.join(table_id=tables[0], player=player),
            lambda: seating.join(table_id=tables[1], player=player),
        ]
    )

    refused = [outcome for outcome in outcomes if isinstance(outcome, TableLimitReached)]
    assert len(refused) == 1
    assert Seat.objects.filter(player=player).count() == 1
