"""Every page and every list of the API opens for a player who has every kind of money.

No cache keeps what the player is answered.
"""

import re

import pytest
from django.db import connection
from django.urls import get_resolver, reverse
from django.urls.resolvers import URLResolver
from moneyed import Money

from tables.moderation import disputes
from tables.seats import seating
from tests.builders.processes.routes import is_private
from tests.builders.tables.deals import drop_out, take_turn
from tests.builders.tables.tables import make_game, make_player, make_table, reread
from tests.builders.tournaments.tickets import a_ticket, open_from
from tests.builders.wallet.bonus_desk import RELEASE, days_later, give, join
from tests.builders.wallet.cashier_desk import start_deposit, tell
from tests.builders.wallet.payout_desk import PAYEE
from tests.builders.wallet.players import admit_to_cash, fund
from tournaments.entries.models import Entry, Ticket
from tournaments.lobby import registration
from tournaments.planning.template_models import TournamentTemplate
from tournaments.prizes import tickets
from tournaments.rounds import stopping
from wallet.audit import account_freezes
from wallet.bonuses import expiry as bonus_expiry
from wallet.cashier.sandbox_page import FAILED, Sent
from wallet.deposits import limits as deposit_limits
from wallet.deposits.models import DepositLimit
from wallet.ledger.models import PLAYER_KINDS, Account
from wallet.payments.models import GatewayEvent
from wallet.withdrawals import withdrawals

pytestmark = pytest.mark.django_db

# The admin and finance have tests of their own, and the library's confirmations are sent by e-mail.
# `test_personal_answers.py` asks whether caches keep them.
LEFT_OUT = ("admin/", "accounts/^", "api/v1/finance/")

MONEY_PAGES = ("/wallet/", "/lobby/", "/wallet/deposit/", "/wallet/withdraw/", "/api/v1/wallet/")


def routes(patterns, prefix=""):
    for found in patterns:
        address = prefix + str(found.pattern)
        if isinstance(found, URLResolver):
            yield from routes(found.url_patterns, address)
        else:
            yield address


def inr(amount):
    return Money(amount, "INR")


@pytest.fixture
def player(settings):
    """A player with a ticket and every other kind of account, lot, order and limit."""
    settings.CASH_REGIONS = ["IN-KA"]
    _, _, [ticket, _] = a_ticket()
    player = admit_to_cash(ticket.player)

    fund(player, deposit=500_00, winnings=300_00)
    give(player, 50)
    give(player, 60, mode=RELEASE, release_bps=1_000)
    lot = give(player, 70, days=1)
    with days_later(2):
        bonus_expiry.expire_bonus(grant_id=lot.pk)
    join(player)
    _at_the_cashier(player)
    for period in DepositLimit.Period:
        deposit_limits.set_limit(player=player, period=period, currency="INR", amount=inr(900))
    bonus = Account.objects.get(player=player, kind="bonus", currency="INR")
    account_freezes.freeze_account(account=bonus, reason="Asked", by=make_player(is_staff=True))
    return player


def _at_the_cashier(player):
    start_deposit(player=player, amount=inr(40))
    for events in ([Sent()], [Sent(FAILED)], [Sent(surplus_minor=-100)]):
        tell(start_deposit(player=player, amount=inr(30)), *events)
    [open_one, lost] = [start_deposit(player=player, amount=inr(400)) for _ in range(2)]
    tell(open_one, Sent())
    tell(lost, Sent())
    asked = {"player": player, "payee": PAYEE, "requested_by": player}
    withdrawals.request_withdrawal(amount=inr(20), **asked)
    refused = withdrawals.request_withdrawal(amount=inr(20), **asked)
    withdrawals.reject(withdrawal_id=refused.pk, by=make_player(is_staff=True), remark="Not now")
    tell(lost, Sent(GatewayEvent.Kind.DISPUTE_LOST, case="d1"))
    tell(open_one, Sent(GatewayEvent.Kind.DISPUTE_OPEN, case="d1"))


@pytest.fixture
def known(owner, player):
    """Values for what stands in an address; a route with another name in it fails the test."""
    finished = make_game(players=3)
    seat = finished.seats.first()
    connection.check_constraints()  # What is asked at COMMIT is asked of the seats as they were.
    with owner():
        finished.seats.filter(pk=seat.pk).update(player=player)
    take_turn(finished)
    deal = drop_out(finished)
    disputes.open_dispute(
        player=player,
        table_id=finished.pk,
        deal_no=deal.no,
        ply=1,
        category="clock",
        text="It was too fast.",
    )
    waiting = make_table(seats_max=3)
    seating.join(table_id=waiting.pk, player=player)
    return {
        "table_id": [str(reread(finished).public_id), str(waiting.public_id)],
        "no": ["1", "99"],
        "ply": ["0", "1"],
        "tournament_id": [
            str(entry.tournament.public_id) for entry in Entry.objects.filter(player=player)
        ],
        "public_id": [
            str(row.public_id)
            for rows in (player.deposits.all(), _transfers(player))
            for row in rows
        ],
        "provider": ["sandbox"],
        "code": ["nothing"],
        "name": ["total-rummy-pool-101"],
        "language": ["en"],
        "token": [player.deposits.first().pay_url.rstrip("/").rsplit("/", 1)[1]],
        "window_id": [str(waiting.public_id)],
    }


def _transfers(player):
    return {entry.transfer for account in player.accounts.all() for entry in account.entries.all()}


def addresses(known):
    for route in routes(get_resolver().url_patterns):
        if route.startswith(LEFT_OUT):
            continue
        wanted = re.findall(r"<\w+:(\w+)>", route)
        filled = [re.sub(r"<(\w+:)", "<", f"/{route}")]
        for name in wanted:
            filled = [
                address.replace(f"<{name}>", value) for address in filled for value in known[name]
            ]
        yield from filled


@pytest.mark.extended
def test_every_page_opens_for_a_player_with_every_kind_of_money(client, player, known):
    kinds = set(Account.objects.of_player(player).values_list("kind", flat=True))
    assert kinds == {*PLAYER_KINDS, "ticket", "receivable"}, (
        "a new kind of account belongs into the fixture"
    )
    client.force_login(player)
    client.raise_request_exception = False

    answers = {address: client.get(address) for address in addresses(known)}

    assert {address for address, answer in answers.items() if answer.status_code >= 500} == set()
    opened = {address for address, answer in answers.items() if answer.status_code == 200}
    assert len(opened) > 80, "most of these are pages that open"
    assert opened >= {"/wallet/", "/lobby/", "/wallet/deposit/", "/api/v1/wallet/", "/history/"}
    open_to_caches = {address for address, answer in answers.items() if not is_private(answer)}
    of_the_app = {"/app/en.webmanifest", "/offline/", "/service-worker.js"}
    assert open_to_caches == {"/api/schema/", "/jsi18n/", *of_the_app}


def _refund(ticket, tournament):
    """Let two clerks turn a ticket into money, its tournaments being over."""
    asks, decides = make_player(is_staff=True), make_player(is_staff=True)
    stopping.cancel(tournament_id=tournament.pk, by=asks, reason="Test.")
    TournamentTemplate.objects.filter(pk=ticket.admits_to_id).update(is_offered=False)
    asked = tickets.request_refund(ticket_id=ticket.pk, reason="No more of them", by=asks)
    tickets.approve_refund(refund_id=asked.pk, by=decides)


@pytest.mark.extended
def test_the_wallet_shows_a_ticket_unused_used_and_paid_back(client, player):
    client.force_login(player)
    ticket = Ticket.objects.select_related("admits_to", "won_in").get(player=player)
    tournament = open_from(ticket.admits_to)

    [told] = client.get("/api/v1/wallet/").json()["tickets"]
    page = client.get("/wallet/").content.decode()
    entry = registration.register(tournament_id=tournament.pk, player=player, ticket=ticket)
    [used] = client.get("/api/v1/wallet/").json()["tickets"]
    opened = [client.get(page).status_code for page in MONEY_PAGES]
    registration.withdraw(entry_id=entry.pk)
    _refund(ticket, tournament)
    [paid_back] = client.get("/api/v1/wallet/").json()["tickets"]
    opened += [client.get(page).status_code for page in MONEY_PAGES]

    assert told == {
        "id": str(ticket.public_id),
        "state": "issued",
        "admits_to": ticket.admits_to.name,
        "won_in": ticket.won_in.name,
        "value": "200.00",
        "currency": "PTS",
        "issued_at": told["issued_at"],
        "usable_until": None,
        "tournaments": [
            {
                "id": str(tournament.public_id),
                "name": tournament.name,
                "starts_at": told["tournaments"][0]["starts_at"],
            }
        ],
    }
    assert reverse("tournament", args=[tournament.public_id]) in page
    assert (used["state"], used["tournaments"]) == ("used", [])
    assert (paid_back["state"], paid_back["tournaments"]) == ("refunded", [])
    assert set(opened) == {200}
