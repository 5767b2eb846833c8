"""Pending work of the last hours, so that every queue of staff has entries, and running tables."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from devtools.sample_data import tournaments
from devtools.sample_data.days import Days, held_minor
from devtools.sample_data.desk import WAITS
from devtools.sample_data.games import Game
from players.accounts.models import User
from players.cases import actions as cases
from players.cases import data_requests
from players.cases.models import DataRequest
from staff.cases.kinds import DISPUTES, FLAGS
from tables.bots import bots
from tables.games import game_of, opening
from tables.integrity.collusion.actions import search_last_days
from tables.models.tables import Table
from tables.seats import seating
from tables.seats.models import ReviewFlag
from tournaments.entries.models import Ticket
from tournaments.prizes import tickets
from tournaments.rounds import stopping
from wallet.bonuses.models import BonusMode
from wallet.deposits.models import Deposit
from wallet.gateways.sandbox_page import BUTTONS
from wallet.ledger.models import Account
from wallet.tax.models import PayeeKind
from wallet.tax.residence import declare_residence

# Tables that bots play when the sample data ends, with the number of bots; staff and visitors can
# watch them.
RUNNING: Final = (("points-points", 4), ("pool-201-points", 4), ("straight-points", 3))
# Tables at which one player waits for others.
WAITING: Final = ("duel-101-cash", "pool-101-points", "points-cash")
# What happened at the end, before now.
LAST_MINUTES: Final = timedelta(minutes=8)
# The time of the last moves before the end, which is a turn's time at most.
LAST_MOVES: Final = timedelta(seconds=50)
QUARTER: Final = 900
MINUTE: Final = 60


def leave_open(days: Days, *, until: datetime) -> None:
    """Create undecided requests, an unfinished tournament, and what happens at `until`.

    Raise `RuntimeError` if it does not end by then.
    """
    _of_money(days)
    _of_play(days)
    _of_players(days)
    if days.site_clock.now > until - LAST_MINUTES:
        raise RuntimeError(f"The pending work of the sample data ends at {days.site_clock.now}.")
    days.site_clock.move_to(until - LAST_MINUTES)
    days.pass_midnight()
    _right_now(days, until)


def _of_money(days: Days) -> None:
    desk, cashier, site_clock = days.desk, days.cashier, days.site_clock
    # Before the players with a disputed payment and those who share an address.
    payer = days.people.players[4]
    desk.change_term(48, outcome=WAITS)
    site_clock.think(QUARTER)
    declare_residence(player_id=payer.pk, kind=PayeeKind.NON_RESIDENT, country="AE")
    desk.ask_for_place("UP", "Counsel's opinion is in the files")
    days.books.settle_gateway(leave=True)
    site_clock.think(QUARTER)
    cashier.pay_in(payer, 200, *BUTTONS["over"][1])
    paid = Deposit.objects.filter(player=payer, status=Deposit.Status.PAID, payments__returns=None)
    cashier.take_back(paid.earliest("pk"), "dispute")
    won = held_minor(Account.Kind.WINNINGS)
    winners = sorted(days.people.players[5:], key=lambda player: -won.get(player.pk, 0))
    for number, winner in enumerate(winners[:4]):
        site_clock.think(QUARTER)
        asked = cashier.ask_for(winner, (1.0, 0.5, 0.3, 0.8)[number])
        if asked is not None and number == 1:  # Waits for the bank.
            cashier.decide(asked)
    days.pass_midnight()
    site_clock.think(QUARTER)
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
    days.pass_midnight()
    days.play_satellite()
    ticket = Ticket.objects.filter(state=Ticket.State.ISSUED).latest("pk")
    reason = "Moved abroad and cannot play on Saturday"
    tickets.request_refund(ticket_id=ticket.pk, reason=reason, by=staff.maker)
    running = tournaments.announce(site_clock, days.kinds["midweek-points"], staff.operator)
    tournaments.enter(site_clock, running, days.free(6))
    site_clock.move_to(running.starts_at or site_clock.now)
    tournaments.play(site_clock, running, rounds=1)
    reason = "The power failed at the players' end; most of them are offline"
    stopping.ask_to_abort(tournament_id=running.pk, by=staff.operator, reason=reason)
    days.pass_midnight()


def _of_players(days: Days) -> None:
    """Let players complain and write, and staff take some of the cases."""
    site_clock, support = days.site_clock, days.staff.support
    desk = days.desk
    table = days.play("points-cash", 3, deals=2)
    dispute = table and desk.complain(table, 1)
    if dispute:
        subject = DISPUTES.subject(DISPUTES.rows(support).get(pk=dispute.pk))
        case = cases.give_case(subject=subject, owner=support, by=support)
        words = "Which of your sequences do you mean? The replay shows one pure sequence."
        cases.write_to_player(subject=subject, text=words, by=support)
        site_clock.think(QUARTER)
        text = "The one with the joker. I had two before the show."
        cases.answer_staff(player=dispute.seat.player, case_id=case.public_id, text=text)
    if flag := ReviewFlag.objects.unreviewed().first():
        subject = FLAGS.subject(FLAGS.rows(support).get(pk=flag.pk))
        cases.give_case(subject=subject, owner=support, by=support)
    writer = days.people.players[6]
    data_requests.ask_about_data(
        player=writer,
        about=DataRequest.About.NAME,
        text="My surname is spelled wrong in my account.",
    )
    desk.write_to_support(dispute.seat.player if dispute else writer)
    days.desk.bonus(writer, 75, BonusMode.SPEND, outcome=WAITS)
    site_clock.think(QUARTER)
    desk.correct(writer, 40, "The page did not respond in the last deal", outcome=WAITS)


def _right_now(days: Days, until: datetime) -> None:
    """Let bots play at tables to watch, and players pay, wait and ask, up to this time."""
    site_clock, cashier = days.site_clock, days.cashier
    opening.keep_lobby_stocked()
    games = [_begin(days, slug, number) for slug, number in RUNNING]
    cashier.pay_in(days.free(1)[0], 500)
    days.people.join()
    for slug in WAITING:
        site_clock.think(MINUTE)
        days.sit_down(slug, 1)
    won = held_minor(Account.Kind.WINNINGS)
    players = days.cash_players()
    cashier.ask_for(max(players, key=lambda player: won.get(player.pk, 0)), 0.4)
    while site_clock.now < until - LAST_MOVES:
        for game in games:  # About one move of each.
            game.play(until=site_clock.now + timedelta(milliseconds=1))


def _begin(days: Days, slug: str, number: int) -> Game:
    """Seat bots at the lobby's table of a template."""
    table = Table.objects.joinable().filter(template__slug=slug).latest("pk")
    for bot in bots.bots_for(table, number):
        _sit(days, table, bot)
    return Game(days.site_clock, table.pk)


def _sit(days: Days, table: Table, bot: User) -> None:
    days.site_clock.think(0.4)
    seating.join(table_id=table.pk, player=bot, stack=game_of(table).bot_stack(table))
