"""The first game: one player and easy bots, closed to others, without a timer in deal 1."""

from functools import partial

import pytest
from django.urls import reverse
from django.utils import timezone

from players.accounts.models import User
from tables.bots import bots
from tables.exceptions import NotInvited
from tables.lobby.invitations import join_first_game, own_private_tables
from tables.lobby.offers import lobby_rows
from tables.lobby.table_templates import profiles
from tables.models.tables import Table
from tables.seats import seating
from tables.state import clock
from tables.view.table_view import table_view
from tests.builders.processes.threads import at_once
from tests.builders.tables.deals import settle
from tests.builders.tables.making import make_player, make_rules
from tests.builders.tables.offers import make_template
from tests.builders.tables.playing import deal_at, move, reread, run_out, seat_at
from wallet.exceptions import InsufficientFunds

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_cache")]


@pytest.fixture
def practice():
    make_template(slug="big", seats_max=6, bots_fill=True, rake_bps=0)
    return make_template(bots_fill=True, rake_bps=0, bot_strength="strong")


@pytest.fixture
def begun(practice):
    """A first game whose bot has sat down."""
    seat = join_first_game(player=make_player())
    bots.play_bots(table_id=seat.table_id)
    return reread(seat.table)


def test_play_now_opens_an_own_table_with_easy_bots(client, practice):
    answer = client.post(reverse("play-now"))

    table = Table.objects.get(template=practice)
    assert answer["Location"] == reverse("table", args=[table.public_id])
    assert (table.bot_strength, table.seats_max) == ("random", 2)
    assert table.public_id not in [row.id for row in lobby_rows(make_player())]
    with pytest.raises(NotInvited):
        seating.join(table_id=table.pk, player=make_player())
    assert client.post(reverse("play-now"))["Location"] == answer["Location"]
    assert User.objects.filter(is_guest=True).count() == 1
    assert not own_private_tables(User.objects.get(is_guest=True).pk)
    assert 'id="coach"' in client.get(answer["Location"]).content.decode()


@pytest.mark.django_db(transaction=True)
def test_concurrent_clicks_open_one_table(practice):
    player = make_player()

    seats = at_once([partial(join_first_game, player=player)] * 4)

    assert len({seat.pk for seat in seats}) == 1
    assert Table.objects.filter(opened_by=player).count() == 1


def test_refused_first_games_leave_one_table():
    make_template(bots_fill=True, rake_bps=0, entry_minor=10**9)
    player = make_player()

    for _ in range(3):
        with pytest.raises(InsufficientFunds):
            join_first_game(player=player)

    assert Table.objects.filter(opened_by=player).count() == 1


def test_its_cards_are_dealt_without_waiting_for_the_toss():
    profile = profiles.register_profile(make_rules(toss_seconds=5))
    make_template(bots_fill=True, rake_bps=0, profile=profile)

    seat = join_first_game(player=make_player())
    bots.play_bots(table_id=seat.table_id)

    assert reread(seat.table).phase == Table.Phase.PLAYING
    assert len(deal_at(seat.table).toss.split()) == 2  # It decided all the same.


def test_in_its_first_deal_no_time_runs_and_in_the_next_it_does(begun):
    assert begun.phase == Table.Phase.PLAYING
    person = begun.seats.get(player__is_bot=False).player

    view = table_view(begun, person)
    assert (view.deadline, view.extra_deadline) == (None, None)
    assert (begun.due_at - timezone.now()).total_seconds() > 10 * 60

    # Who went away for good is out at last.
    run_out(begun, seconds=60)
    clock.apply_overdue(table_id=begun.pk, now=timezone.now())
    assert deal_at(begun).moves.filter(origin="clock").exists()


def test_the_second_deal_has_its_clock(begun):
    while reread(begun).deal_no == 1:
        if reread(begun).phase != Table.Phase.PLAYING:
            settle(begun)
            continue
        position = table_view(reread(begun), None).deal.to_act
        if seat_at(begun, position).player.is_bot:
            bots.play_bots(table_id=begun.pk)
        else:
            move(begun, position, "drop")

    view = table_view(reread(begun), None)
    assert (view.phase, view.deal.no) == ("playing", 2)
    assert view.deadline is not None
