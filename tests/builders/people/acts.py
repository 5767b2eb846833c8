"""Players' actions for the eligibility matrix: each function prepares one action.

It creates a player who is allowed everything, up to the point of the action, and returns them with
a function that runs the action for a player as a request has read them.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from itertools import count
from unittest.mock import patch

from asgiref.sync import async_to_sync
from django.test import Client
from django.utils import timezone
from moneyed import Money

from players.accounts.models import User
from players.eligibility.verdicts import Act, require_may
from players.exceptions import NotEligible
from tables.accounts.closure import close_account
from tables.exceptions import AccountHeld
from tables.lobby import invitations
from tables.lobby.table_templates import profiles
from tables.models.templates import TableTemplate
from tables.seats import seating
from tests.builders.people.accounts import sign_up
from tests.builders.tables.making import make_rules, make_table
from tests.builders.tables.playing import reread
from tests.builders.tables.points_tables import make_points_table
from tests.builders.tables.pools import YES, say, score
from tests.builders.tables.sockets import connect, next_view
from tests.builders.tournaments.tickets import a_ticket, register_with
from tests.builders.tournaments.tournaments import make_tournament
from tests.builders.wallet.cashier_desk import make_depositor, start_deposit
from tests.builders.wallet.payout_desk import payee_for
from tests.builders.wallet.players import fund, verify_email
from tournaments.entries.models import Ticket
from tournaments.lobby import registration
from wallet.bonuses import bonuses
from wallet.bonuses.models import BonusMode
from wallet.withdrawals import withdrawals

JSON = "application/json"
_numbers = count(1)


class Refused(Exception):
    """A refusal of the API or of a socket, by its code."""


def outcome(act, player):
    """Return the code of the refusal; empty if the action succeeds."""
    try:
        act(User.objects.get(pk=player.pk))
    except (NotEligible, AccountHeld) as refusal:
        return refusal.code if str(refusal) else f"{refusal.code} without a sentence"
    except Refused as refusal:
        return str(refusal)
    return ""


def rich():
    player = make_depositor()
    fund(player, deposit=1_000_00)
    fund(player, currency="PTS", deposit=10_000_00)
    return player


def a_seat(**kind):
    table = make_table(**kind)
    return rich(), lambda player: seating.join(table_id=table.pk, player=player)


def a_points_table(currency):
    table = make_points_table(currency=currency)
    return rich(), lambda player: seating.join(table_id=table.pk, player=player)


def a_tournament(currency):
    tournament = make_tournament(currency=currency)
    return rich(), lambda player: registration.register(tournament_id=tournament.pk, player=player)


def a_ticket_to_use(currency):
    _satellite, main, tickets = a_ticket(currency=currency)
    player = User.objects.get(pk=tickets[0].player_id)
    return player, lambda _player: register_with(Ticket.objects.get(pk=tickets[0].pk), main)


def a_rejoin(currency):
    rules = make_rules(gap_seconds=60)
    table = make_table(rules=rules, currency=currency, seats_min=3, seats_max=3)
    for _ in range(3):
        seating.join(table_id=table.pk, player=rich())
    score(table, 0, 50, 101)
    seat = reread(table).seats.select_related("player").get(number=3)
    return seat.player, lambda _player: say(table, 3, YES)


def a_private_table(currency):
    player = rich()
    kind = TableTemplate.objects.create(
        slug=f"private-{player.pk}",
        name="Private",
        profile=profiles.register_profile(make_rules()),
        currency=currency,
        seats_max=2,
        entry_minor=100_00,
    )

    def open_it(player):
        table = invitations.open_private_table(player=player, template_id=kind.pk)
        seating.join(table_id=table.pk, player=player, code=table.invite_code)

    return player, open_it


def a_bonus():
    grant = partial(
        bonuses.grant_bonus, amount=Money(5, "INR"), mode=BonusMode.SPEND, reason="Welcome"
    )
    ends = timezone.now() + timedelta(days=1)
    return rich(), lambda player: grant(player=player, expires_at=ends, key=f"acts:{player.pk}")


def a_deposit():
    return rich(), lambda player: start_deposit(player=player, amount=Money(100, "INR"))


def a_withdrawal():
    return rich(), lambda player: withdrawals.request_withdrawal(
        player=player, amount=Money(10, "INR"), payee=payee_for(player), requested_by=player
    )


def by_api(method, path, body=None):
    player = rich()

    def ask(player):
        client = Client()
        client.force_login(player)
        key = {"Idempotency-Key": f"acts-{next(_numbers)}"}
        answer = getattr(client, method)(path, body, content_type=JSON, headers=key)
        if answer.status_code == 403:
            assert answer.json()["message"], "a refusal has a message"
            raise Refused(answer.json()["code"])
        assert answer.status_code in (200, 201), answer.content

    return player, ask


def a_seat_by_api(currency):
    table = make_table(currency=currency)
    return by_api("post", f"/api/v1/tables/{table.public_id}/seats/", {})


def a_socket():
    """A seat in a running cash game: its player can always see their hand."""
    table = make_table(currency="INR")
    player = rich()
    for each in (player, rich()):
        seating.join(table_id=table.pk, player=each)

    async def watch(player):
        socket = await connect(table.public_id, player)
        if socket is None:
            raise Refused("closed")
        view = await next_view(socket)
        await socket.hang_up()
        assert view["me"]["hand"], "who plays sees their cards"

    def watch_here(player):
        # As Django's own client does: the test's transaction is this connection's.
        with patch("channels.db.close_old_connections"):
            async_to_sync(watch)(player)

    return player, watch_here


def a_return():
    """Close the account, sign up again with the same address, and play for money."""
    player = make_depositor()

    def return_and_play(player):
        was = User.objects.get(pk=player.pk)
        close_account(player_id=player.pk)
        number = next(_numbers)
        address = {"REMOTE_ADDR": f"10.{number % 200}.0.1"}
        answer = sign_up(Client(**address), email=was.email, handle=f"back_{number}")
        assert answer.status_code == 302, answer.content
        anew = User.objects.get(handle=f"back_{number}")
        anew.emailaddress_set.all().delete()
        verify_email(anew)
        User.objects.filter(pk=anew.pk).update(
            country=was.country, region=was.region, birth_date=was.birth_date
        )
        require_may(User.objects.get(pk=anew.pk), Act.CASH)

    return player, return_and_play
