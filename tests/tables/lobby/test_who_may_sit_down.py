"""The lobby's rows offer a seat to those whom the table would seat, and say why to the others."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import translation
from django.utils.html import escape

from core.clock import database_now
from players.accounts.models import User
from players.eligibility import breaks
from players.eligibility.break_models import Break
from players.eligibility.hold_models import Hold
from players.exceptions import NotEligible
from players.limits.models import OwnLimit
from players.limits.own_limits import Scope, set_own_limit
from players.notifications.models import Notification
from players.notifications.steps import Recipient, notify
from tables.exceptions import TableFull
from tables.lobby import quick_seat
from tables.lobby.pages import lobby_form
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.responsible.verdicts import TABLES, TIME
from tables.seats import seating
from tests.builders.people.holds import hold_player
from tests.builders.people.regions import open_region
from tests.builders.processes import clocks
from tests.builders.staff.people import clerk_who_may
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.playing import seat_at
from tests.builders.tables.sockets import connect, next_view
from tests.builders.wallet.players import fund
from wallet.exceptions import DebtOutstanding
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_cache")]


def on_a_break(player):
    breaks.take_break(player=player, kind=Break.Kind.COOL_OFF, length=timedelta(days=1))


def on_hold(player):
    hold_player(player, Hold.Kind.PLAY)


def at_the_most_tables(player):
    set_own_limit(player=player, scope=TABLES, most=1, is_proved=True)
    seating.join(table_id=make_table().pk, player=player)


def out_of_time(player):
    set_own_limit(player=player, scope=TIME, most=60, is_proved=True)
    with clocks.at_time(database_now() - timedelta(hours=2)):
        Seat.objects.create(table=make_table(), player=player)


@pytest.mark.parametrize(
    ("restrict", "label", "page"),
    [
        (on_a_break, "On a break", "responsible-play"),
        (on_hold, "On hold", "your-data"),
        (at_the_most_tables, "Table limit reached", "responsible-play"),
        (out_of_time, "Time limit reached", "responsible-play"),
    ],
)
def test_rows_show_the_refusal_of_the_table_before_the_click(client, restrict, label, page):
    player, table = make_player(), make_table()
    client.force_login(player)
    assert "Join for 100 PTS" in client.get(reverse("lobby")).text
    restrict(player)

    with pytest.raises(NotEligible) as refusal:
        seating.join(table_id=table.pk, player=player)

    lobby = client.get(reverse("lobby")).text
    assert "Join for" not in lobby
    assert "Quick seat" not in lobby
    assert f'id="join-{table.public_id}" href="#checklist">{label}</a>' in lobby
    note = lobby.split('id="checklist">')[1].split("</p>")[0]
    assert note.startswith(escape(str(refusal.value)))
    assert reverse(page) in note


def test_rows_for_money_show_a_debt_before_the_click(client):
    open_region("IN-KA")
    player, table = make_player(country="IN", region="KA"), make_table(currency="INR")
    fund(player, deposit=50_00)
    source = accounts.operator_account(kind=Account.Kind.GATEWAY_CLEARING, currency="INR")
    owed = accounts.open_player_account(player=player, currency="INR", kind="receivable")
    posting.post(
        key="debt", kind=Transfer.Kind.CHARGEBACK, entries=[(owed, -160_00), (source, 160_00)]
    )
    client.force_login(player)

    lobby = client.get(reverse("lobby"), {"currency": "INR"}).text

    with pytest.raises(DebtOutstanding) as refusal:
        seating.join(table_id=table.pk, player=player)
    assert f'id="join-{table.public_id}" href="#checklist">Payment owed</a>' in lobby
    note = lobby.split('id="checklist">')[1].split("</p>")[0]
    assert note.startswith(escape(str(refusal.value)))
    assert reverse("start-deposit") in note


def test_refusals_of_a_seat_are_in_the_readers_language():
    full = make_table()
    for _ in range(2):
        seating.join(table_id=full.pk, player=make_player())

    with translation.override("hi"), pytest.raises(TableFull) as refusal:
        seating.join(table_id=full.pk, player=make_player())

    assert re.search("[a-z]", str(refusal.value)) is None


def test_visitors_watch_public_games_and_no_others(client, owner):
    game, waiting = make_game(), make_table()
    page = client.get(reverse("table", args=[game.public_id]))

    assert page.status_code == 200
    assert page.context["view"]["me"] is None
    assert reverse("table-api-public", args=[game.public_id]) in page.text
    with owner():
        Table.objects.filter(pk=game.pk).update(invite_code="a-private-code")
    for table in (game, waiting):
        answer = client.get(reverse("table", args=[table.public_id]))
        assert answer["Location"].startswith(reverse("account_login"))


@pytest.fixture
def private_game(owner):
    """A private game of two, and each kind of viewer by name."""
    table, staff = make_game(), clerk_who_may("view_table")
    host, guest, stranger = make_player(), make_player(), make_player()
    seats = [seat_at(table, position) for position in (1, 2)]
    with owner():
        Table.objects.filter(pk=table.pk).update(invite_code="a-code", opened_by=host)
        Seat.objects.filter(pk=seats[1].pk).update(left_at=table.started_at)
    for player, kind in ((guest, Kind.TABLE_INVITATION), (stranger, Kind.GAME_CANCELLED)):
        notify(
            [Recipient(player)],
            kind=kind,
            key="a",
            subject="a",
            about=table.public_id,
            now=database_now(),
        )
    return table, {
        "player": seats[0].player,
        "player who left": seats[1].player,
        "host": host,
        "guest": guest,
        "staff": staff,
        "staff without permission": clerk_who_may(),
        "stranger": stranger,
        "visitor": None,
    }


Kind = Notification.Kind
WATCHERS = ["player", "player who left", "host", "guest", "staff"]


@pytest.mark.parametrize(
    ("who", "is_allowed"),
    [
        *((who, True) for who in WATCHERS),
        *((who, False) for who in ("staff without permission", "stranger", "visitor")),
    ],
)
def test_private_table_is_seen_only_by_its_players_guests_and_staff(
    client, private_game, who, is_allowed
):
    table, people = private_game
    if people[who]:
        client.force_login(people[who])

    page = client.get(reverse("table", args=[table.public_id]), follow=True)
    base = f"/api/v1/tables/{table.public_id}/"
    answers = [client.get(f"{base}{name}/") for name in ("public", "open-pile")]

    codes = [(answer.status_code, answer.json().get("code")) for answer in answers]
    if is_allowed:
        assert "view" in page.context
        assert codes == [(200, None)] * 2
        return
    place = "account_login" if who == "visitor" else "lobby"
    assert page.redirect_chain[0][0].startswith(reverse(place))
    assert ("Ask its players for an invitation." in page.text) == (who != "visitor")
    assert codes == [(403, "not_invited")] * 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
async def test_socket_of_a_private_table_is_closed_to_strangers(private_game):
    table, people = private_game

    for who in WATCHERS:
        socket = await connect(table.public_id, people[who])
        assert bool((await next_view(socket))["me"]) == (who == "player")
        await socket.hang_up()
    for who in ("stranger", "visitor"):
        refused = await connect(table.public_id, people[who])
        assert await refused.receive() == {"type": "error", "code": "not_invited"}
        closed = await refused.receive_output(timeout=30)
        assert (closed["type"], closed["code"]) == ("websocket.close", 4403)


@pytest.mark.parametrize("kind", [OwnLimit.Kind.STAKE, OwnLimit.Kind.LOSS])
def test_rows_above_an_own_limit_lead_to_the_limits_before_the_click(client, kind):
    open_region("IN-KA")
    player = make_player(country="IN", region="KA")
    fund(player, deposit=500_00)
    dear, cheap = (make_table(currency="INR", entry_minor=minor) for minor in (100_00, 50_00))
    client.force_login(player)
    period = OwnLimit.Period.DAY if kind == OwnLimit.Kind.LOSS else ""
    set_own_limit(player=player, scope=Scope(kind, "INR", period), most=99_00, is_proved=True)

    lobby = client.get(reverse("lobby"), {"currency": "INR"}).text

    limits = f"{reverse('own-play')}#limits"
    assert f'id="join-{dear.public_id}" href="{limits}">Over your limit</a>' in lobby
    assert f'formaction="{reverse("table-join", args=[cheap.public_id])}"' in lobby
    with pytest.raises(NotEligible):
        seating.join(table_id=dear.pk, player=player)
    wanted = lobby_form({"currency": "INR"}).chosen_filter()
    assert quick_seat.sit_down(player=player, wanted=wanted).table == cheap


def test_visitor_sits_down_at_a_listed_table_as_a_guest(client):
    table = make_table(name="Evening table", seats_max=3)
    join = reverse("table-join", args=[table.public_id])
    page = client.get(reverse("lobby")).text
    assert f'formaction="{join}"' in page
    assert "Play as guest" in page

    answer = client.post(join)

    assert answer["Location"] == reverse("table", args=[table.public_id])
    assert table.seats.get().player == User.objects.get(is_guest=True)


@pytest.mark.parametrize(
    ("terms", "there"),
    [
        ({"currency": "INR"}, "account_login"),
        ({"owner_ref": "tournament:1"}, "account_login"),
        ({"seats_max": 2}, "lobby"),
    ],
)
def test_no_account_is_made_for_a_visitor_who_cannot_sit_down(client, terms, there):
    table = make_table(**terms)
    if there == "lobby":  # All seats are taken.
        for _ in range(2):
            seating.join(table_id=table.pk, player=make_player())

    answer = client.post(reverse("table-join", args=[table.public_id]))

    assert answer["Location"].startswith(reverse(there))
    assert not User.objects.filter(is_guest=True).exists()
