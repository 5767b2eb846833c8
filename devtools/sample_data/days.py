"""Generate the activity of each day: games, payments, requests and decisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Final

from django.db.models import Sum

from devtools.sample_data import tournaments
from devtools.sample_data.bookkeeping import Bookkeeping
from devtools.sample_data.cashier import SUMS, Cashier
from devtools.sample_data.desk import NO, Desk, look_after_oneself, take_a_week_off
from devtools.sample_data.fake_clock import FakeClock
from devtools.sample_data.games import Game
from devtools.sample_data.people import People, Staff
from players.accounts.models import User
from tables.games import opening
from tables.models.tables import Table
from tables.seats import seating
from tables.seats.origins import Origin
from tournaments.planning.template_models import TournamentTemplate
from wallet.bonuses.models import BonusMode
from wallet.deposits.models import Deposit
from wallet.gateways.sandbox_page import BUTTONS
from wallet.ledger.models import Account
from wallet.withdrawals.models import Withdrawal

# Games of the evenings: the template, the number of players, and the number of deals.
EVENINGS: Final = (
    ("duel-101-cash", 2, None),
    ("pool-61-cash", 4, None),
    ("points-cash", 3, 3),
    ("pool-61-points", 3, None),
    ("duel-101-points", 2, None),
    ("pool-61-cash", 4, None),
    ("points-points", 3, 3),
)
# Failed orders and later disputes or refunds of payments, by day.
ODD_PAYMENTS: Final = ("decline", "twice", "over", "silent", "again", "short")
RETURNS: Final = {6: "refund", 16: "dispute", 19: "lose", 27: "half", 38: "dispute", 41: "win"}
# The number of last days on which two players lose to each other on purpose.
PAIR_PLAYS: Final = (7, 5, 3, 2, 1)
# Tables of this size are for the regulars.
REGULARS: Final = 4
SATURDAY, WEDNESDAY, MONDAY = 5, 2, 0


@dataclass
class Days:
    """State of the generated site; `generate_day` adds one day."""

    site_clock: FakeClock
    people: People
    staff: Staff
    cashier: Cashier
    books: Bookkeeping
    desk: Desk
    kinds: dict[str, TournamentTemplate]
    number: int
    games: int = 0
    asked: list[tuple[int, Withdrawal]] = field(default_factory=list)
    # Keys of players who take a break or may not deposit.
    resting: set[int] = field(default_factory=set)
    disputed: Deposit | None = None
    # The last day whose nightly tasks were run.
    begun: date | None = None

    def generate_day(self, no: int, day: date, *, until: datetime) -> None:
        """Generate day `no` (the first is 0), and of the last day what is over before `until`."""
        self.begin_day(day)
        if day.day == 1:
            last = day - timedelta(days=1)
            self.books.write_registers(last.replace(day=1), last)
        if day.weekday() == MONDAY or no >= self.number - 1:
            self.books.audit()
        parts: tuple[tuple[time, timedelta, Callable[[], None]], ...] = (
            (time(9, 30), timedelta(hours=1), lambda: self._morning(no, day)),
            (time(11, 40), timedelta(hours=3), lambda: self._noon(no)),
            (time(15), timedelta(hours=5), lambda: self._afternoon(no, day)),
            (time(19), timedelta(hours=5), lambda: self._evening(no)),
        )
        for begins, longest, act in parts:
            moment = self.site_clock.at(day, begins.hour, begins.minute)
            if moment + longest <= until:
                self.site_clock.move_to(moment)
                act()

    def begin_day(self, day: date) -> None:
        """Run the nightly tasks of a day once."""
        if self.begun is None or self.begun < day:
            self.books.begin_day(day)
            self.begun = day

    def pass_midnight(self) -> None:
        """Run the nightly tasks if the clock has reached another day's."""
        if self.site_clock.now >= self.site_clock.at(self.site_clock.today, 0, 10):
            self.begin_day(self.site_clock.today)

    def _morning(self, no: int, day: date) -> None:
        """Reconcile gateway and bank, and decide yesterday's withdrawals."""
        self.books.settle_gateway(correction_minor=-150 if no % 20 == 9 else 0)
        if day.weekday() == MONDAY or no >= self.number - 1:
            self.books.upload_statement()
        self.cashier.send_and_note(refused=no % 14 == 6)
        due = [one for since, one in self.asked if since < no]
        self.asked = [(since, one) for since, one in self.asked if since >= no]
        for number, withdrawal in enumerate(due):
            self.cashier.decide(withdrawal, refuse=no % 9 == 4 and not number)

    def _noon(self, no: int) -> None:
        self._pay(no)
        self._staff_acts(no)

    def _pay(self, no: int) -> None:
        """Let players join now and then, deposit and withdraw."""
        if no % 3 == 1:
            self._welcome(no)
        depositors = self.cash_players()
        # More people play as the weeks go by, and at weekends.
        is_weekend = self.site_clock.today.weekday() >= SATURDAY
        number = 3 if is_weekend else 1 + no // 30
        for player in self._some(depositors, number):
            self.site_clock.think(self.site_clock.chance.uniform(120, 1_200))
            self.cashier.pay_in(player, self.site_clock.chance.choice(SUMS))
        if no % 2 == 0:
            button = ODD_PAYMENTS[no // 2 % len(ODD_PAYMENTS)]
            self.cashier.pay_in(self._some(depositors, 1)[0], 200, *BUTTONS[button][1])
        if no in RETURNS:
            self._take_back(RETURNS[no])
        if no % 3 != 1:
            won = held_minor(Account.Kind.WINNINGS)
            winner = max(depositors, key=lambda player: (won.get(player.pk, 0), -player.pk))
            share = 1.0 if no % 2 else 0.6
            if asked := self.cashier.ask_for(winner, share):
                self.asked.append((no, asked))

    def _welcome(self, no: int) -> None:
        """Verify a new player and grant a bonus on the first deposit."""
        player = self.people.join()
        self.people.be_known(player, by=self.staff)
        self.cashier.pay_in(player, 500)
        mode = BonusMode.RELEASE if no % 2 else BonusMode.SPEND
        outcome = NO if no % 12 == 4 else "approve"
        self.desk.bonus(player, 50, mode, outcome=outcome)

    def _take_back(self, button: str) -> None:
        """Dispute or refund payments; the first dispute stays open until it is decided."""
        if self.disputed is None or button in ("refund", "half"):
            paid = Deposit.objects.filter(status=Deposit.Status.PAID, payments__returns=None)
            found = paid.exclude(player__in=self._pair()).order_by("-pk")[3:4]
            deposit = next(iter(found), None)
        else:
            deposit = self.disputed
        if deposit is None:
            return
        self.cashier.take_back(deposit, button)
        self.disputed = deposit if button == "dispute" else None

    def _staff_acts(self, no: int) -> None:
        players = self.cash_players()
        if no % 4 == 2:
            self.desk.place_suspense()
        if no % 10 == 3:
            self.desk.correct(self._some(players, 1)[0], 25, "A game stopped by an error of ours")
        if no % 25 == 8:
            self.desk.correct(self._some(players, 1)[0], 900, "Asked for twice", outcome=NO)
        if no % 15 == 2:
            look_after_oneself(players[-1])
        if no % 28 == 11:
            take_a_week_off(players[-2])
            self.resting.add(players[-2].pk)
        if no % 30 == 5:
            self.desk.hold(players[-3], lifts=no < 30)
            if no >= 30:
                self.resting.add(players[-3].pk)
        if no % 40 == 13:
            self.desk.freeze(players[-1], thaws=True)
        if no == 14:
            self.desk.change_term(12)
        self.desk.review_pairs()

    def _afternoon(self, no: int, day: date) -> None:
        if day.weekday() == SATURDAY or (self.number < 7 and no == 1):
            self._tournaments()
        elif day.weekday() == WEDNESDAY and day.day % 2:
            self._tournament("midweek-points", 6)

    def _tournaments(self) -> None:
        self.play_satellite()
        self._tournament("saturday-61", 6)

    def play_satellite(self) -> None:
        """Play a satellite to its end; its winner gets a ticket to Saturday's tournament."""
        satellite = tournaments.announce(
            self.site_clock, self.kinds["saturday-satellite"], self.staff.operator
        )
        tournaments.enter(self.site_clock, satellite, self._rich(5_000, 3))
        tournaments.play(self.site_clock, satellite)

    def _tournament(self, slug: str, number: int) -> None:
        template = self.kinds[slug]
        is_cash = template.currency == "INR"
        players = self._rich(template.entry_minor, number) if is_cash else self.free(number)
        opened = tournaments.announce(self.site_clock, template, self.staff.operator)
        tournaments.enter(self.site_clock, opened, players)
        self.site_clock.move_to(opened.starts_at or self.site_clock.now)
        tournaments.play(self.site_clock, opened)
        self.games += 1

    def _evening(self, no: int) -> None:
        self.site_clock.think(self.site_clock.chance.uniform(0, 4_200))
        slug, seats, deals = EVENINGS[no % len(EVENINGS)]
        table = self.play(slug, seats, deals=deals)
        if table is not None and no % 5 == 1 and (complaint := self.desk.complain(table, no)):
            self.desk.see_to(complaint, closes=no % 2 == 0)
        if self.number - no in PAIR_PLAYS:  # All within the weeks that the search covers.
            self._pair_plays()

    def play(self, slug: str, seats: int, *, deals: int | None = None) -> Table | None:
        """Seat players at a lobby table and play it to the end."""
        table = self.sit_down(slug, seats)
        if table is None:
            return None
        self.games += 1
        return Game(self.site_clock, table.pk).play(deals=deals)

    def sit_down(self, slug: str, seats: int, players: Sequence[User] = ()) -> Table | None:
        """Seat players at the lobby's table of a template."""
        self.site_clock.agree()
        opening.keep_lobby_stocked()
        table = Table.objects.joinable().filter(template__slug=slug).latest("pk")
        is_cash = table.currency == "INR"
        wanted = self._rich(2 * table.entry_minor, seats) if is_cash else self.free(seats)
        chosen = list(players) or wanted
        if len(chosen) < seats:
            return None
        live_together = chosen == self._pair()
        for player in chosen:
            # The game starts with two players, so the others join quickly.
            self.site_clock.think(0.4)
            origin = Origin(f"203.0.113.{player.pk % 250}", f"browser-{player.pk}")
            if live_together:
                origin = Origin("198.51.100.7", f"browser-{player.pk}")
            self.site_clock.agree()
            seating.join(table_id=table.pk, player=player, origin=origin)
        return table

    def _pair_plays(self) -> None:
        """Let one of the colluding players fold at every table with the other."""
        pair = self._pair()
        for player in pair:
            self.cashier.pay_in(player, 500)
        table = self.sit_down("duel-101-cash", 2, pair)
        if table is not None:
            self.games += 1
            Game(self.site_clock, table.pk, quitters=[pair[0].pk]).play()

    def _pair(self) -> list[User]:
        return self.people.players[2:4]

    def cash_players(self) -> list[User]:
        """Return the verified players except the first ones and those who take a break."""
        known = [one for one in self.people.players[4:] if one.pk in self.people.known]
        return [player for player in known if player.pk not in self.resting]

    def free(self, number: int) -> list[User]:
        """Return players for games for points."""
        return self._some([p for p in self.people.players if p.pk not in self.resting], number)

    def _rich(self, minor: int, number: int) -> list[User]:
        """Return up to `number` players with at least that cash balance."""
        held = held_minor(Account.Kind.DEPOSIT, Account.Kind.WINNINGS)
        players = [*self.people.players[:2], *self.cash_players()]
        able = [one for one in players if held.get(one.pk, 0) >= minor]
        # Regulars meet often; the search needs this to separate collusion from chance.
        return able[:number] if number == REGULARS else self._some(able, number)

    def _some(self, players: Sequence[User], number: int) -> list[User]:
        return self.site_clock.chance.sample(list(players), min(number, len(players)))


def held_minor(*kinds: str) -> dict[int, int]:
    """Return players' cash in these buckets in minor units, by key."""
    accounts = Account.objects.filter(currency="INR", kind__in=kinds).order_by()
    return dict(accounts.values_list("player").annotate(Sum("balance_minor")))
