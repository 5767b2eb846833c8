"""Every page for players, and a player with data on each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from django.db import connection
from moneyed import Money

from players.accounts.models import User
from tables.history.sharing.actions import share_deal
from tables.integrity.moderation import disputes
from tables.seats import seating
from tests.builders.processes.logins import as_owner
from tests.builders.processes.routes import routes
from tests.builders.tables.deals import drop_out, take_turn
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.playing import reread
from tests.builders.tournaments.seasons import make_season
from tests.builders.tournaments.tickets import a_ticket
from tests.builders.wallet.bonus_desk import RELEASE, days_later, give, join
from tests.builders.wallet.cashier_desk import start_deposit, tell
from tests.builders.wallet.payout_desk import payee_for
from tests.builders.wallet.players import admit_to_cash, fund
from tournaments.entries.models import Entry
from wallet.audit import freezes
from wallet.bonuses import expiry as bonus_expiry
from wallet.deposits import limits as deposit_limits
from wallet.deposits.limits import PERIODS
from wallet.deposits.models import GatewayEvent
from wallet.gateways.sandbox_page import FAILED, Sent
from wallet.ledger.days import site_day
from wallet.ledger.models import Account
from wallet.tax.arithmetic import financial_year
from wallet.withdrawals import withdrawals

# The admin and finance have tests of their own, and the library's confirmations are sent by e-mail.
# `test_personal_answers.py` asks whether caches keep them.
LEFT_OUT = ("admin/", "accounts/^", "api/v1/finance/")


def inr(amount: int) -> Money:
    return Money(amount, "INR")


def player_with_every_kind() -> User:
    """Create a player with a ticket and every kind of account, lot, order and limit."""
    _, _, [ticket, _] = a_ticket()
    player = admit_to_cash(ticket.player)

    fund(player, deposit=500_00, winnings=300_00)
    give(player, 50)
    give(player, 60, mode=RELEASE, release_bps=1_000)
    with days_later(-2):
        lot = give(player, 70, days=1)
    bonus_expiry.expire_bonus(grant_id=lot.pk)
    join(player)
    _at_the_cashier(player)
    for period in PERIODS:
        deposit_limits.set_limit(
            player=player, period=period, currency="INR", amount=inr(900), is_proved=True
        )
    bonus = Account.objects.get(player=player, kind="bonus", currency="INR")
    freezes.freeze_account(account=bonus, reason="Asked", by=make_player(is_staff=True))
    return player


def _at_the_cashier(player: User) -> None:
    start_deposit(player=player, amount=inr(40))
    for events in ([Sent()], [Sent(FAILED)], [Sent(surplus_minor=-100)]):
        tell(start_deposit(player=player, amount=inr(30)), *events)
    [open_one, lost] = [start_deposit(player=player, amount=inr(400)) for _ in range(2)]
    tell(open_one, Sent())
    tell(lost, Sent())
    asked = {"player": player, "payee": payee_for(player), "requested_by": player}
    withdrawals.request_withdrawal(amount=inr(20), **asked)
    refused = withdrawals.request_withdrawal(amount=inr(20), **asked)
    withdrawals.reject(withdrawal_id=refused.pk, by=make_player(is_staff=True), remark="Not now")
    tell(lost, Sent(GatewayEvent.Kind.DISPUTE_LOST, case="d1"))
    tell(open_one, Sent(GatewayEvent.Kind.DISPUTE_OPEN, case="d1"))


def values_in_addresses(player: User) -> dict[str, list[str]]:
    """Return values for all URL parameters; routes must not use other names."""
    finished = make_game(players=3)
    seat = finished.seats.first()
    connection.check_constraints()  # What is asked at COMMIT is asked of the seats as they were.
    with as_owner():
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
    shared = share_deal(player=player, deal=deal, shows_name=True)
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
        "code": ["nothing", shared.code],
        "name": ["total-rummy-pool-101"],
        "language": ["en"],
        "handle": [player.handle],
        "token": [player.deposits.first().pay_url.rstrip("/").rsplit("/", 1)[1]],
        "token_id": ["1"],
        "session_id": ["1"],
        "tree_id": ["1"],
        "bot_id": ["1"],
        "act": ["end"],
        "window_id": [str(waiting.public_id)],
        "season_id": [str(make_season(name="शरद लीग").public_id)],
        "year": [str(financial_year(site_day()))],
    }


def _transfers(player: User) -> set[Any]:
    return {entry.transfer for account in player.accounts.all() for entry in account.entries.all()}


def addresses(known: dict[str, list[str]]) -> Iterator[str]:
    """Yield the URL of every route for players, with each known value."""
    for route, _view in routes():
        if route.startswith(LEFT_OUT):
            continue
        wanted = re.findall(r"<\w+:(\w+)>", route)
        filled = [re.sub(r"<(\w+:)", "<", f"/{route}")]
        for name in wanted:
            filled = [
                address.replace(f"<{name}>", value) for address in filled for value in known[name]
            ]
        yield from filled
