"""Pending work on the last morning, so that every queue of staff has entries."""

from __future__ import annotations

from devtools.sample_data import tournaments
from devtools.sample_data.days import Days, held_minor
from devtools.sample_data.desk import WAITS
from devtools.sample_data.games import Game
from tables.games import opening
from tables.integrity.collusion.actions import search_last_days
from tournaments.entries.models import Ticket
from tournaments.prizes import tickets
from tournaments.rounds import stopping
from wallet.bonuses.models import BonusMode
from wallet.deposits.models import Deposit
from wallet.gateways.sandbox_page import BUTTONS
from wallet.ledger.models import Account
from wallet.tax.models import PayeeKind
from wallet.tax.residence import declare_residence


def leave_open(days: Days) -> None:
    """Create undecided requests, an unfinished game and an unfinished tournament."""
    _of_money(days)
    _of_play(days)


def _of_money(days: Days) -> None:
    desk, cashier = days.desk, days.cashier
    # Before the players with a disputed payment and those who share an address.
    payer = days.people.players[4]
    desk.bonus(payer, 75, BonusMode.SPEND, outcome=WAITS)
    desk.correct(payer, 40, "The page did not respond in the last deal", outcome=WAITS)
    desk.change_term(48, outcome=WAITS)
    declare_residence(player_id=payer.pk, kind=PayeeKind.NON_RESIDENT, country="AE")
    desk.ask_for_place("UP", "Counsel's opinion is in the files")
    days.books.settle_gateway(leave=True)
    cashier.pay_in(payer, 200, *BUTTONS["over"][1])
    paid = Deposit.objects.filter(player=payer, status=Deposit.Status.PAID, payments__returns=None)
    cashier.take_back(paid.earliest("pk"), "dispute")
    won = held_minor(Account.Kind.WINNINGS)
    winners = sorted(days.people.players[5:], key=lambda player: -won.get(player.pk, 0))
    for winner in winners[:3]:
        cashier.ask_for(winner, 1.0)
    newcomer = days.people.join(place="KA")
    days.people.show_documents(newcomer)
    # The tax on a deposit is not refunded, so the payment exceeds the wallet's balance.
    cashier.take_back(cashier.pay_in(newcomer, 400), "refund")


def _of_play(days: Days) -> None:
    site_clock, staff = days.site_clock, days.staff
    table = days.play("pool-61-points", 3)
    if table is not None:
        days.desk.complain(table, 0)
    pair = days.people.players[2:4]
    shared = days.sit_down("duel-101-cash", 2, pair)
    if shared is not None:
        Game(site_clock, shared.pk, quitters=[pair[0].pk]).play()
    search_last_days(site_clock.now)
    days.play_satellite()
    ticket = Ticket.objects.filter(state=Ticket.State.ISSUED).latest("pk")
    reason = "Moved abroad and cannot play on Saturday"
    tickets.request_refund(ticket_id=ticket.pk, reason=reason, by=staff.maker)
    running = tournaments.announce(site_clock, days.kinds["midweek-points"], staff.operator)
    tournaments.enter(site_clock, running, days.free(6))
    site_clock.move_to(running.starts_at or site_clock.now)
    tournaments.play(site_clock, running, rounds=1)
    reason = "The hall has no power"
    stopping.ask_to_abort(tournament_id=running.pk, by=staff.operator, reason=reason)
    opening.keep_lobby_stocked()
