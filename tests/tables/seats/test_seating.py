"""Sitting down and leaving: money and seats move together or not at all."""

import pytest
from django.db.models import Sum

from players.exceptions import CashNotOffered, CashWindingDown
from tables.exceptions import NotAllowed, TableFull, TableNotWaiting
from tables.models.deals import Deal
from tables.models.seats import BuyIn, Seat
from tables.models.tables import Table
from tables.seats import seating
from tables.state import clock
from tests.builders.people.regions import open_region
from tests.builders.tables.making import make_player, make_rules, make_table
from tests.builders.tables.playing import at_once, reread, run_out
from wallet.exceptions import InsufficientFunds
from wallet.ledger.models import Account, Entry, Transfer

pytestmark = pytest.mark.django_db


def points_of(player):
    return Account.objects.buckets_of(player).aggregate(sum=Sum("balance_minor"))["sum"]


def test_sitting_down_pays_the_entry_into_the_tables_escrow():
    table = make_table(seats_max=3)
    player = make_player()
    before = points_of(player)

    seat = seating.join(table_id=table.pk, player=player)

    table = reread(table)
    assert points_of(player) == before - 100_00
    assert table.escrow.balance_minor == 100_00
    assert table.phase == Table.Phase.WAITING
    assert table.version == 1
    assert BuyIn.objects.get(seat=seat).stake.transfer.key == f"buyin:{seat.pk}:1"


def test_without_money_nothing_is_written():
    table = make_table(entry_minor=99_999_999)
    player = make_player()
    transfers = Transfer.objects.count()

    with pytest.raises(InsufficientFunds):
        seating.join(table_id=table.pk, player=player)

    assert Seat.objects.count() == 0
    assert Transfer.objects.count() == transfers
    assert reread(table).version == 0


@pytest.mark.django_db(transaction=True)
def test_concurrent_last_seats_are_one_seat_and_one_refusal():
    table = make_table(seats_max=2)
    seating.join(table_id=table.pk, player=make_player())
    rivals = [make_player(), make_player()]

    answers = at_once([lambda p=p: seating.join(table_id=table.pk, player=p) for p in rivals])

    assert sorted(type(answer).__name__ for answer in answers) == ["Seat", "TableFull"]
    table = reread(table)
    assert table.escrow.balance_minor == 200_00
    assert table.seats.count() == 2
    assert table.deal_no == 1
    assert Entry.objects.filter(account=table.escrow).count() == 2


@pytest.mark.django_db(transaction=True)
def test_concurrent_joins_of_one_player_are_one_seat():
    table = make_table(seats_max=3)
    player = make_player()

    answers = at_once([lambda: seating.join(table_id=table.pk, player=player)] * 2)

    assert sorted(type(answer).__name__ for answer in answers) == ["AlreadySeated", "Seat"]
    assert reread(table).escrow.balance_minor == 100_00


@pytest.mark.parametrize(("seats_max", "refusal"), [(3, TableNotWaiting), (2, TableFull)])
def test_joining_is_refused_once_the_game_has_begun(seats_max, refusal):
    table = make_table(rules=make_rules(toss_seconds=5), seats_max=seats_max)
    for _ in range(2):
        seating.join(table_id=table.pk, player=make_player())
    assert reread(table).phase == Table.Phase.TOSS
    late = make_player()

    with pytest.raises(refusal):
        seating.join(table_id=table.pk, player=late)

    assert not Seat.objects.of_player(late).exists()


def test_bots_sit_at_tables_for_play_points_only():
    table = make_table(currency="INR")
    bot = make_player(is_bot=True, email=None)

    with pytest.raises(NotAllowed):
        seating.join(table_id=table.pk, player=bot)


@pytest.mark.parametrize(
    ("regions", "wind_down", "refusal"),
    [
        ([], False, CashNotOffered),  # Nowhere, unless somebody has said so.
        (["IN-MH"], False, CashNotOffered),
        (["IN-KA"], True, CashWindingDown),
    ],
)
def test_cash_is_not_played_for_where_it_is_not_offered(settings, regions, wind_down, refusal):
    for region in regions:
        open_region(region)
    settings.CASH_WIND_DOWN = wind_down
    table = make_table(currency="INR")

    with pytest.raises(refusal):
        seating.join(table_id=table.pk, player=make_player(country="IN", region="KA"))

    assert not table.seats.exists()
    assert not Transfer.objects.filter(kind=Transfer.Kind.BUY_IN).exists()


def test_enough_players_start_the_countdown_and_its_end_starts_the_game():
    table = make_table(rules=make_rules(start_seconds=10, toss_seconds=5), seats_max=3)
    seating.join(table_id=table.pk, player=make_player())
    assert reread(table).due_at is None
    seating.join(table_id=table.pk, player=make_player())
    table = reread(table)
    assert (table.due_at - table.armed_at).total_seconds() == 10

    table = run_out(table)
    clock.apply_overdue(table_id=table.pk, now=table.due_at)

    table = reread(table)
    assert table.phase == Table.Phase.TOSS
    assert sorted(table.seats.values_list("number", flat=True)) == [1, 2]
    assert table.deals.get().status == Deal.Status.PLAYING
    assert len(table.deals.get().toss.split()) == 2


def test_the_seed_is_committed_to_before_the_toss():
    table = make_table(seats_max=2)
    commitment = table.deals.get(no=1).commitment
    assert table.deals.get(no=1).status == Deal.Status.COMMITTED

    for _ in range(2):
        seating.join(table_id=table.pk, player=make_player())

    assert table.deals.get(no=1).commitment == commitment
    assert table.deals.get(no=1).status == Deal.Status.PLAYING


def test_leaving_before_the_start_returns_the_entry_and_frees_the_player():
    table = make_table(rules=make_rules(start_seconds=10), seats_max=3)
    stays, goes = make_player(), make_player()
    before = points_of(goes)
    seating.join(table_id=table.pk, player=stays)
    seat = seating.join(table_id=table.pk, player=goes)

    seating.leave(seat_id=seat.pk)
    seating.leave(seat_id=seat.pk)  # A double click.

    table = reread(table)
    assert points_of(goes) == before
    assert table.escrow.balance_minor == 100_00
    assert table.due_at is None
    assert Transfer.objects.filter(key=f"leave:{seat.pk}").count() == 1
    assert seating.join(table_id=table.pk, player=goes) != seat
    assert reread(table).escrow.balance_minor == 200_00
