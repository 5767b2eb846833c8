"""Players' seeds for the shuffle: deadline, limit of one, and effect (RB 12.1)."""

import pytest

import rummy
from rummy.command_line import records
from rummy.history import files as history
from tables.exceptions import BadClientSeed, ClientSeedGiven, ClientSeedLate, NotInPlay
from tables.history.deal_file import history_of, history_text
from tables.history.fairness import seeds
from tables.history.fairness.models import ClientSeed
from tables.lobby import quick_seat
from tables.lobby.offers import LobbyFilter
from tables.models.deals import Deal
from tables.models.tables import Table
from tables.seats import client_seeds, seating
from tables.state.fold import fold_of
from tests.builders.api import api_client
from tests.builders.tables.deals import drop_out
from tests.builders.tables.making import make_game, make_player, make_rules, make_table
from tests.builders.tables.playing import at_once, deal_at, reread, run_out, seat_at
from tests.builders.tables.points_tables import make_points_game
from tests.builders.tables.shared import shared

pytestmark = pytest.mark.django_db


@shared
def waiting():
    return make_table(seats_max=3)


def give(seat, text="marigold"):
    return client_seeds.give_client_seed(seat_id=seat.pk, text=text)


def sit_down(table, *, give_text=None):
    seat = seating.join(table_id=table.pk, player=make_player())
    if give_text is not None:
        give(seat, give_text)
    return seat


def dealt_from(deal, texts):
    """The deal's start as computed from the seed and these texts."""
    stream = rummy.Stream(seeds.unseal(deal.secret), texts)
    cards, stream = rummy.toss(stream, 3) if deal.toss else ((), stream)
    start = rummy.family_of(make_rules()).start(make_rules(), players=3, stream=stream)
    return cards, start.seats, start.wild


def dealt(deal):
    start = fold_of(deal).state
    return rummy.parse_cards(deal.toss), start.seats, start.wild


def test_seeds_of_the_seats_dealt_in_go_into_the_stream_in_the_order_of_sitting_down():
    table = make_table(seats_min=3, seats_max=3, rules=make_rules(start_seconds=60))
    gone = sit_down(table, give_text="of one who left again")
    seating.leave(seat_id=gone.pk)
    sit_down(table, give_text="first ♠")
    last = sit_down(table)
    give(last, "second")
    sit_down(table)

    deal = deal_at(table)

    assert dealt(deal) == dealt_from(deal, ["first ♠", "second"])
    assert dealt(deal) != dealt_from(deal, [])


def test_a_later_deal_takes_seeds_until_the_end_of_the_gap():
    table = make_game(players=3, rules=make_rules(gap_seconds=60))
    drop_out(table)
    coming = table.deals.get(no=2)
    assert coming.status == Deal.Status.COMMITTED

    give(seat_at(table, 2), "in the gap")
    table = run_out(table)
    with pytest.raises(ClientSeedLate):
        give(seat_at(table, 3), "too late")

    deal = deal_at(table)
    assert (deal.no, reread(table).phase) == (2, Table.Phase.PLAYING)
    assert dealt(deal) == dealt_from(deal, ["in the gap"])
    assert ClientSeed.objects.count() == 1


def test_the_same_text_again_is_the_seed_given_before_and_another_is_refused(waiting):
    table = waiting
    seat = sit_down(table)
    before = reread(table).version
    first = give(seat)
    version = reread(table).version
    assert version == before + 1  # Onlookers are sent who has given one.

    again = give(seat)
    with pytest.raises(ClientSeedGiven):
        give(seat, "another")

    assert again.pk == first.pk
    assert reread(table).version == version
    assert [seed.text for seed in ClientSeed.objects.all()] == ["marigold"]


@pytest.mark.parametrize("text", ["", "x" * 65, "two\nlines", "nul\0", "\ud800"])
def test_a_seed_is_a_short_printable_text(text, waiting):
    seat = sit_down(waiting)

    with pytest.raises(BadClientSeed):
        give(seat, text)
    if text:
        with pytest.raises(BadClientSeed):
            seating.join(table_id=waiting.pk, player=make_player(), client_seed=text)

    assert ClientSeed.objects.count() == 0
    assert waiting.seats.count() == 1


def test_player_who_left_cannot_add_a_seed(waiting):
    table = waiting
    seat = sit_down(table)
    seating.leave(seat_id=seat.pk)

    with pytest.raises(NotInPlay):
        give(seat)

    assert ClientSeed.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_a_seed_that_races_the_toss_counts_or_is_refused():
    table, late = make_table(seats_max=2), make_player()
    seat = sit_down(table)

    given, _ = at_once([lambda: give(seat), lambda: seating.join(table_id=table.pk, player=late)])

    deal = drop_out(table)
    counted = ("marigold",) if isinstance(given, ClientSeed) else ()
    assert isinstance(given, ClientSeed | ClientSeedLate)
    shown = history_of(Deal.objects.revealed().get(pk=deal.pk))
    assert shown.client_seeds == counted
    assert shown.end == fold_of(deal).state


def test_seed_with_the_last_seat_counts_in_the_first_deal():
    table = make_table(seats_min=3, seats_max=3)
    sit_down(table, give_text="first")
    sit_down(table)

    last = seating.join(table_id=table.pk, player=make_player(), client_seed="last ♠")

    deal = deal_at(table)
    assert (deal.no, deal.client_seeds.get(seat=last).text) == (1, "last ♠")
    assert dealt(deal) == dealt_from(deal, ["first", "last ♠"])
    drop_out(table)
    deal.refresh_from_db()
    text = history_text(deal)
    assert records.verify({"history": text})["verified"]
    assert history.loads(text).client_seeds == ("first", "last ♠")


def test_while_cards_are_played_no_seat_comes_with_a_seed():
    table = make_points_game(players=2)

    early = seating.join(table_id=table.pk, player=make_player(), client_seed="too early")

    assert not ClientSeed.objects.filter(seat=early).exists()
    drop_out(table)
    seat = seating.join(table_id=table.pk, player=make_player(), client_seed="in the gap")
    assert ClientSeed.objects.get(seat=seat).deal.no == 2


def test_a_quick_seat_where_cards_are_played_goes_without_the_seed():
    make_points_game(players=2)
    wanted = LobbyFilter(game="points")

    seat = quick_seat.sit_down(player=make_player(), wanted=wanted, client_seed="for the gap")

    assert not ClientSeed.objects.filter(seat=seat).exists()


def history_of_start(deal):
    return list(deal.client_seeds.order_by("seat").values_list("text", flat=True))


@pytest.mark.parametrize(
    "address",
    ["/api/v1/tables/{}/seats/", "/api/v1/quick-seat/", "/tables/{}/join/", "/lobby/quick-seat/"],
)
def test_api_and_pages_take_a_seed_with_the_seat(address):
    table = make_table(seats_max=2)
    sit_down(table)
    client = api_client(make_player())
    kind = "json" if "/api/" in address else None

    answer = client.post(address.format(table.public_id), {"client_seed": " a b "}, kind)

    assert answer.status_code == (201 if kind else 302)
    assert history_of_start(deal_at(table)) == [" a b "]
