"""From the front door to a practice hand as a guest, and the account kept afterwards."""

import re
from datetime import timedelta
from functools import partial

import pytest
from django.contrib.sessions.models import Session
from django.core import mail
from django.urls import reverse
from django.utils import timezone

import rummy
from players.accounts import consent
from players.accounts.models import User
from players.sign_in.guests import actions as guests
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
from tests.builders.tables.making import make_game, make_player, make_rules
from tests.builders.tables.offers import make_practice, make_template
from tests.builders.tables.playing import deal_at, hand_of, move, reread, run_out, seat_at
from tests.builders.tables.points_tables import make_points_game, next_deal, play_deal
from wallet.audit.audit import row_findings
from wallet.exceptions import InsufficientFunds
from wallet.ledger.models import Account, Transfer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_cache")]
KEPT = {"email": "new@example.com", "handle": "newcomer", "password": "a long enough pass phrase"}


def points_of(player):
    return Account.objects.get(player=player, kind="deposit").balance_minor


def test_one_click_seats_a_visitor_as_a_guest_and_a_second_creates_no_other(client):
    table = make_practice()
    assert reverse("play-now") in client.get("/").content.decode()

    answer = client.post(reverse("play-now"))

    guest = User.objects.get(is_guest=True)
    assert answer["Location"] == reverse("table", args=[table.public_id])
    assert client.get(answer["Location"]).status_code == 200
    assert not guest.has_usable_password()
    assert guest.consent_version == consent.VERSION
    assert points_of(guest) == 10_000_00 - 100_00
    bots.play_bots(table_id=table.pk)  # With poor cards a bot may drop, and the deal be over.
    assert reread(table).phase in {Table.Phase.PLAYING, Table.Phase.SETTLING}
    assert table.deals.count() == 1
    other = make_practice()
    again = client.post(reverse("play-now"))
    assert again["Location"] == reverse("table", args=[other.public_id])
    assert User.objects.filter(is_guest=True).count() == 1


def test_guests_and_sign_ups_of_one_address_are_counted_together(client, settings):
    settings.ACCOUNT_RATE_LIMITS = {"signup": "2/h/ip"}
    make_practice()
    form = {"email": "a@example.com", "handle": "one_more", "password1": KEPT["password"]}

    answers = []
    again = form | {"email": "b@example.com", "handle": "another"}
    for path, sent in [("play-now", {}), ("account_signup", form), ("account_signup", again)]:
        client.cookies.clear()
        answers.append(client.post(reverse(path), sent, REMOTE_ADDR="2001:db8:7:7::1"))

    assert [answer.status_code for answer in answers] == [302, 302, 429]
    assert int(answers[2]["Retry-After"]) > 0
    # Another address of the same network is no way around it.
    client.cookies.clear()
    assert client.post(reverse("play-now"), REMOTE_ADDR="2001:db8:7:7:8::9").status_code == 429
    assert User.objects.count() == 2


def test_a_kept_account_is_the_same_player_and_signs_in_again(client):
    make_practice()
    client.post(reverse("play-now"))
    guest = User.objects.get()

    page = client.post(reverse("account-keep"), KEPT, follow=True)

    assert b"Your account is registered" in page.content
    kept = User.objects.get()
    assert (kept.pk, kept.is_guest, kept.handle) == (guest.pk, False, "newcomer")
    assert points_of(kept) == 10_000_00 - 100_00
    assert [message.to for message in mail.outbox] == [["new@example.com"]]
    client.post(reverse("account_logout"))
    client.post(reverse("account_login"), {"login": KEPT["email"], "password": KEPT["password"]})
    assert client.session["_auth_user_id"] == str(kept.pk)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"handle": "OLDTIMER"}, "This player name is taken"),
        ({"password": "12345"}, "too short"),
        ({"email": "nobody"}, "valid email"),
    ],
)
def test_invalid_registration_leaves_a_guest_unregistered(client, wrong, words):
    make_player(handle="oldtimer", email="old@example.com")
    client.post(reverse("play-now"))

    page = client.post(reverse("account-keep"), KEPT | wrong)

    assert words in page.content.decode()
    assert User.objects.get(handle__startswith="guest_").is_guest


def test_an_account_is_kept_once():
    guest = guests.make_guest()
    guests.keep_account(player_id=guest.pk, **KEPT)

    with pytest.raises(guests.NotAGuest):
        guests.keep_account(player_id=guest.pk, **(KEPT | {"email": "other@example.com"}))

    assert User.objects.get().email == "new@example.com"


def test_guests_without_a_session_are_closed_and_keep_their_money(client):
    client.post(reverse("play-now"))
    User.objects.update(date_joined=timezone.now() - timedelta(days=15))
    rows = Transfer.objects.count()

    assert guests.close_lost_guests(now=timezone.now()) == 0
    Session.objects.update(expire_date=timezone.now())
    assert guests.close_lost_guests(now=timezone.now()) == 1

    assert not User.objects.get().is_active
    assert (Transfer.objects.count(), rows) == (1, 1)
    assert row_findings() == ()


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


def test_in_its_first_deal_no_time_runs_until_the_player_is_gone_for_good(begun):
    assert begun.phase == Table.Phase.PLAYING
    person = begun.seats.get(player__is_bot=False).player

    view = table_view(begun, person)
    assert (view.deadline, view.extra_deadline) == (None, None)
    assert (begun.due_at - timezone.now()).total_seconds() > 10 * 60

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


def felt(page):
    """Return the live table's text, and the cards in it."""
    shown = page.text.split('class="live-table"')[1].split("</figure>")[0]
    return shown, re.findall(r'class="meld-row" role="img" aria-label="([^"]+)"', shown)


def test_visitors_see_a_public_game_without_any_hand(client, owner):
    table = make_game(players=2)
    handles = [seat_at(table, position).player.handle for position in (1, 2)]

    shown, cards = felt(client.get(reverse("landing")))
    part = client.get(reverse("landing"), headers={"HX-Request": "true"})

    assert all(handle in shown for handle in handles)
    assert 'class="to-act"' in shown
    assert len(cards) == 2  # The wild card and the top of the open pile.
    hidden = set(hand_of(table, 1)) | set(hand_of(table, 2))
    assert not any(f'aria-label="{card}"' in shown for card in hidden - set(cards))
    assert part.text.lstrip().startswith("<figure")
    with owner():
        Table.objects.update(invite_code="a-private-code")
    assert not any(handle in felt(client.get("/"))[0] for handle in handles)


def test_visitors_do_not_see_players_who_have_left_a_points_table(client):
    table = make_points_game(players=3)
    gone = seat_at(table, 3)
    play_deal(table, 0, 10, 10)
    seating.leave(seat_id=gone.pk)
    table = next_deal(table)

    shown, _cards = felt(client.get(reverse("landing")))

    handles = [seat.handle for seat in table_view(table, None).seats if seat.status != "left"]
    assert gone.player.handle in {seat.handle for seat in table_view(table, None).seats}
    assert len(handles) == 2
    assert all(handle in shown for handle in handles)
    assert gone.player.handle not in shown


def test_without_a_game_visitors_see_a_hand_that_wins(client):
    _shown, [hand] = felt(client.get(reverse("landing")))

    rules = rummy.PROFILES["total-rummy-pool-101"]

    assert rummy.check_declaration(hand.split("|"), wild="2D", rules=rules).valid


def test_first_page_leads_to_playing_learning_fairness_and_limits(client):
    page = client.get(reverse("landing")).text

    for name in ("play-now", "account_signup", "how-to-play", "verify", "responsible-play"):
        assert f'="{reverse(name)}"' in page
