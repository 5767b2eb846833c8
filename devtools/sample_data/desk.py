"""Staff work: bonuses, corrections, disputes, cases, holds and regions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from moneyed import Money

from devtools.sample_data.fake_clock import FakeClock
from devtools.sample_data.people import Staff
from players.accounts.models import User
from players.cases import actions as cases
from players.cases import help_requests
from players.eligibility import holds
from players.eligibility.break_models import Break
from players.eligibility.breaks import take_break
from players.eligibility.hold_models import Hold
from players.eligibility.places import region_changes
from players.eligibility.places.models import Offer, RegionChange
from players.limits.models import OwnLimit
from players.limits.own_limits import Scope, set_own_limit
from staff.cases.kinds import DISPUTES, TASKS
from tables.integrity.moderation import disputes, reviews
from tables.integrity.moderation.dispute_models import Dispute
from tables.models.tables import Table
from tables.seats.models import ReviewFlag
from tables.settlement.models import Result
from wallet.audit import freezes
from wallet.bonuses import requests as bonus_requests
from wallet.bonuses.models import BonusMode
from wallet.corrections import adjustments
from wallet.deposits import limits, suspense, terms
from wallet.deposits.models import StaffTask
from wallet.ledger import accounts
from wallet.ledger.models import Account
from wallet.support.attachments import attachments_of

YES, NO, WAITS = "approve", "reject", ""
COMPLAINTS: Final = (
    ("clock", "My clock ran out while the page said I had ten seconds left."),
    ("score", "I had two sequences and was counted the full hand."),
    ("cards", "The wild joker was in my hand three deals in a row."),
    ("money", "The prize is less than the table said."),
)
ANSWER: Final = (
    "We have replayed the deal move by move. The clock, the cards and the score are as the rules "
    "say; the history file of the deal shows each step."
)


@dataclass
class Desk:
    """Actions of the members of staff."""

    site_clock: FakeClock
    staff: Staff

    def open_places(self, *places: str) -> None:
        """Open play for money in other states; one person requests it and another approves."""
        for place in places:
            change = self.ask_for_place(place, "Counsel's opinion for the demo")
            region_changes.approve_change(change_id=change.pk, by=self.staff.admin)

    def ask_for_place(self, place: str, reason: str) -> RegionChange:
        return region_changes.request_change(
            country="IN",
            region=place,
            offer=Offer.ALLOWED,
            begins_at=self.site_clock.now,
            reason=reason,
            by=self.staff.maker,
            withdrawal_needs_identity=True,
        )

    def bonus(self, player: User, rupees: int, mode: BonusMode, *, outcome: str = YES) -> None:
        self.site_clock.agree()
        asked = bonus_requests.request_bonus(
            player=player,
            amount=Money(rupees, "INR"),
            mode=mode,
            term_days=14,
            reason="Welcome",
            by=self.staff.support,
            release_bps=2_000 if mode == BonusMode.RELEASE else None,
        )
        if outcome:
            getattr(bonus_requests, f"{outcome}_bonus")(request=asked, by=self.staff.checker)

    def correct(self, player: User, rupees: int, reason: str, *, outcome: str = YES) -> None:
        """Credit a player from the promotions account as goodwill."""
        self.site_clock.agree()
        mine = accounts.open_player_accounts(player=player, currency="INR")
        promotions = accounts.operator_account(kind=Account.Kind.PROMOTIONS, currency="INR")
        asked = adjustments.request_adjustment(
            source=promotions,
            target=mine[Account.Kind.DEPOSIT],
            amount=Money(rupees, "INR"),
            reason=reason,
            by=self.staff.support,
        )
        if outcome:
            getattr(adjustments, f"{outcome}_adjustment")(adjustment=asked, by=self.staff.checker)

    def complain(self, table: Table, number: int) -> Dispute | None:
        """Let a loser of a finished game dispute their last deal."""
        loser = Result.objects.filter(table=table).order_by("-place").first()
        if loser is None or loser.seat.player.is_bot:
            return None
        deal = table.deals.settled().filter(deal_seats__seat=loser.seat_id).order_by("no").last()
        if deal is None:
            return None
        category, text = COMPLAINTS[number % len(COMPLAINTS)]
        return disputes.open_dispute(
            player=loser.seat.player,
            table_id=table.pk,
            deal_no=deal.no,
            ply=1,
            category=category,
            text=text,
        )

    def see_to(self, dispute: Dispute, *, closes: bool) -> None:
        """Take a dispute, add a note and a message to its case, and answer it."""
        subject = DISPUTES.subject(DISPUTES.rows(self.staff.support).get(pk=dispute.pk))
        cases.give_case(subject=subject, owner=self.staff.support, by=self.staff.support)
        cases.note_on_case(subject=subject, text="Replayed; nothing odd.", by=self.staff.support)
        words = "Thank you for writing. We look at the deal and answer within two days."
        cases.write_to_player(subject=subject, text=words, by=self.staff.support)
        self.site_clock.think(3_600)
        disputes.take_dispute(dispute_id=dispute.pk, by=self.staff.support)
        disputes.answer_dispute(dispute_id=dispute.pk, by=self.staff.support, answer=ANSWER)
        if closes:
            disputes.close_dispute(dispute_id=dispute.pk, by=self.staff.support)

    def write_to_support(self, player: User) -> None:
        """Send two messages to support: the player's about their last game, and a visitor's."""
        help_requests.write_to_support(
            player=player,
            email="",
            language="en",
            subject="Was my buy-in returned?",
            text="I left the table after two deals. How much of my buy-in did I get back?",
            attached=next(iter(attachments_of(player)), None),
        )
        self.site_clock.think(300)
        help_requests.write_to_support(
            player=None,
            email="harini@example.com",
            language="hi",
            subject="फ़ोन नंबर बदल गया है",
            text="नमस्ते, मेरा पुराना नंबर बंद हो गया है। क्या मैं नए नंबर से खाता खोल सकती हूँ?",
        )

    def place_suspense(self) -> None:
        """Credit a payment of a wrong amount to the player who made it."""
        task = StaffTask.objects.undone().exclude(deposit=None).exclude(transfer=None).first()
        if task is None:
            return
        self.site_clock.agree()
        subject = TASKS.subject(TASKS.rows(self.staff.maker).get(pk=task.pk))
        cases.give_case(subject=subject, owner=self.staff.maker, by=self.staff.maker)
        suspense.place_payment(task_id=task.pk, by=self.staff.maker)

    def review_pairs(self) -> None:
        for flag in ReviewFlag.objects.unreviewed():
            reviews.review_pair(flag_id=flag.pk, by=self.staff.support, note="A couple, known.")

    def hold(self, player: User, *, lifts: bool = False) -> None:
        held = holds.set_hold(
            player_id=player.pk,
            kind=Hold.Kind.DEPOSIT,
            by=self.staff.support,
            reason="Asked us to slow down",
        )
        if lifts:
            self.site_clock.think(7_200)
            holds.lift_hold(hold_id=held.pk, by=self.staff.support, reason="Spoke on the phone")

    def freeze(self, player: User, *, thaws: bool) -> None:
        self.site_clock.agree()
        account = accounts.open_player_accounts(player=player, currency="INR")["winnings"]
        freezes.freeze_account(
            account=account, reason="A letter from the bank", by=self.staff.maker
        )
        if thaws:
            freezes.thaw_account(
                account=account, reason="The bank has cleared it", by=self.staff.checker
            )

    def change_term(self, hours: int, *, outcome: str = YES) -> None:
        """Change the holding time of new deposits."""
        asked = terms.request_term(
            hours=hours,
            begins_at=self.site_clock.now + timedelta(hours=1),
            reason="Chargebacks come later than a day",
            by=self.staff.maker,
        )
        if outcome:
            getattr(terms, f"{outcome}_term")(term_id=asked.pk, by=self.staff.checker)


def look_after_oneself(player: User) -> None:
    """Let a player set personal limits."""
    limits.set_limit(
        player=player,
        period=OwnLimit.Period.DAY,
        currency="INR",
        amount=Money(2_000, "INR"),
        is_proved=True,
    )
    for scope, most in (
        (Scope(OwnLimit.Kind.LOSS, "INR", OwnLimit.Period.WEEK), 5_000_00),
        (Scope(OwnLimit.Kind.TABLES), 3),
        (Scope(OwnLimit.Kind.TIME, period=OwnLimit.Period.DAY), 300),
    ):
        set_own_limit(player=player, scope=scope, most=most, is_proved=True)


def take_a_week_off(player: User) -> None:
    take_break(player=player, kind=Break.Kind.COOL_OFF, length=timedelta(days=7))
