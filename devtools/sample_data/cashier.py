"""Deposits with all their possible outcomes, withdrawals, and lines of the bank statement."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from itertools import count
from typing import Final

from moneyed import Money

from devtools.sample_data.fake_clock import FakeClock
from devtools.sample_data.people import People, Staff
from players.accounts.models import User
from wallet.deposits.deposits import apply_received, note_order, open_order
from wallet.deposits.models import Deposit, GatewayEvent
from wallet.exceptions import NothingToSend, WalletError
from wallet.gateways.sandbox import order_of
from wallet.gateways.sandbox_page import AFTERWARDS, Sent, deliver, event_bodies
from wallet.tax.assessment import quote_withdrawal
from wallet.withdrawals import withdrawals
from wallet.withdrawals.models import Withdrawal
from wallet.withdrawals.payees.actions import register_payee
from wallet.withdrawals.payees.sealing import Payee
from wallet.withdrawals.withdrawable import withdrawable

# The gateway's fee is two percent of a payment, plus 18 percent tax on the fee.
FEE_BPS: Final = 200
FEE_TAX_BPS: Final = 1_800
SUMS: Final = (200, 300, 500, 500, 800, 1_000)
# The smallest withdrawal, in rupees.
LEAST: Final = 50
Kind = GatewayEvent.Kind


@dataclass
class GatewayBooks:
    """The gateway's transactions since its last settlement.

    A line has a time, a kind, a reference, its payment and an amount.
    """

    lines: list[tuple[datetime, str, str, str, int]] = field(default_factory=list)

    def note(self, order: dict[str, object], now: datetime, *events: Sent) -> None:
        """Record an order's events that move money; a repeated event is recorded once."""
        name = str(order["order"]).removeprefix("order_")
        for event in events:
            minor = int(str(order["amount_minor"])) // event.share + event.surplus_minor
            payment = f"pay_{name}_{event.payment}"
            if event.kind == Kind.PAID:
                line = ("payment", payment, payment, minor)
            elif event.kind in (Kind.REFUND_DONE, Kind.DISPUTE_LOST):
                line = ("refund", f"case_{name}_{event.case}", payment, minor)
            else:
                continue
            if line not in [known[1:] for known in self.lines]:
                self.lines.append((now, *line))


@dataclass
class Cashier:
    """Deposits and withdrawals of the players."""

    site_clock: FakeClock
    people: People
    staff: Staff
    gateway: GatewayBooks = field(default_factory=GatewayBooks)
    # Lines of the bank statement not uploaded yet: day, text, minor units.
    bank: list[tuple[date, str, int]] = field(default_factory=list)
    # Refused withdrawals and bank files, by code.
    refused: Counter[str] = field(default_factory=Counter)
    _utrs: count[int] = field(default_factory=lambda: count(1))

    def pay_in(self, player: User, rupees: int, *events: Sent) -> Deposit:
        """Order a deposit and send the gateway's events for it, by default a payment."""
        self.site_clock.agree()
        opened = open_order(player=player, amount=Money(rupees, "INR"))
        deposit = note_order(player=player, opened=opened)
        self.site_clock.think(90)
        self._say(deposit, *(events or (Sent(),)))
        return deposit

    def take_back(self, deposit: Deposit, name: str) -> None:
        """Dispute or refund a payment, like a button of the sandbox."""
        self.site_clock.agree()
        self._say(deposit, *AFTERWARDS[name][1])

    def _say(self, deposit: Deposit, *events: Sent) -> None:
        order = order_of(deposit.pay_url.rstrip("/").rsplit("/", 1)[1])
        deliver(event_bodies(order, events))
        apply_received()
        self.gateway.note(order, self.site_clock.now, *events)

    def ask_for(self, player: User, share: float) -> Withdrawal | None:
        """Request a withdrawal of a part of the withdrawable amount, if it is large enough."""
        self.site_clock.agree()
        most = withdrawable(player=player, currency="INR")
        rupees = int(most.now.amount * Decimal(share)) // 10 * 10
        if rupees < LEAST:
            self.refused["less_than_50"] += 1
            return None
        amount = Money(rupees, "INR")
        payee = Payee(self.people.legal_names[player.pk], f"5010{player.pk:08d}", "HDFC0001234")
        try:
            quote = quote_withdrawal(player=player, amount=amount)
            return withdrawals.request_withdrawal(
                player=player,
                amount=amount,
                payee=register_payee(player=player, payee=payee),
                requested_by=player,
                agreed_tax=quote.tax,
            )
        except WalletError as refusal:  # Tax would take all, or a payment is disputed.
            self.refused[refusal.code] += 1
            return None

    def decide(self, asked: Withdrawal, *, refuse: bool = False) -> None:
        """Approve or reject a withdrawal."""
        self.site_clock.agree()
        if refuse:
            reason = "The bank account is another person's."
            withdrawals.reject(withdrawal_id=asked.pk, by=self.staff.maker, remark=reason)
        else:
            withdrawals.approve(withdrawal_id=asked.pk, by=self.staff.maker)

    def send_and_note(self, *, refused: bool = False) -> None:
        """Send approved withdrawals to the bank, and record its answers a day later."""
        if not Withdrawal.objects.filter(status=Withdrawal.Status.APPROVED, batch=None).exists():
            return
        self.site_clock.agree()
        try:
            batch = withdrawals.send_to_bank(by=self.staff.checker)
        except NothingToSend as refusal:  # All of players with a payment that may be taken back.
            self.refused[refusal.code] += 1
            return
        self.site_clock.think(3_600)
        for number, sent in enumerate(batch.withdrawals.order_by("pk")):
            utr = f"HDFCN{self.site_clock.today:%y%m%d}{next(self._utrs):06d}"
            paid = (self.site_clock.today, f"NEFT {sent.short_reference} {utr}", -sent.payout_minor)
            self.bank.append(paid)
            if refused and number == 0:
                back = f"RETURN {sent.short_reference} ACCOUNT CLOSED"
                self.bank.append((self.site_clock.today, back, sent.payout_minor))
                reason = "The account is closed."
                withdrawals.mark_failed(withdrawal_id=sent.pk, by=self.staff.payer, remark=reason)
            else:
                withdrawals.mark_paid(withdrawal_id=sent.pk, by=self.staff.payer, remark=utr)
