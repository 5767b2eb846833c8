"""What keeps a step of a withdrawal from being taken, each with a refusal of its own (RB 11.2)."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from core.clock import database_now
from core.exceptions import CheckerIsMaker
from core.text_validation import refuse_lines
from players.accounts.models import User
from players.sign_in.security.changes import held_until
from wallet.deposits.debts import owed_minor
from wallet.deposits.payment_models import PaymentReturn
from wallet.exceptions import RemarkMissing, WithdrawalsFrozen
from wallet.ledger.safeguard_models import WithdrawalFreeze
from wallet.withdrawals.exceptions import (
    AccountChanged,
    AccountNew,
    DebtOutstanding,
    PaymentDisputed,
    ReferenceUsed,
    WithdrawalNotPending,
    WithdrawalNotSent,
)
from wallet.withdrawals.models import Withdrawal
from wallet.withdrawals.payees.exceptions import UnknownPayee
from wallet.withdrawals.payees.models import RegisteredPayee


def refuse_used(withdrawal: Withdrawal, reference: str) -> None:
    others = Withdrawal.objects.paid_under(reference, currency=withdrawal.currency)
    if other := others.exclude(pk=withdrawal.pk).first():
        raise ReferenceUsed(
            f"The bank's reference {reference} is of the payment for withdrawal "
            f"{other.public_id}: each payment has one of its own."
        )


def refuse_step(withdrawal: Withdrawal, wanted: Withdrawal.Status, by: User) -> None:
    """Refuse a step out of turn, and one by the person who requested or decided before it."""
    refuse_frozen()
    if withdrawal.status != wanted:
        raise WithdrawalNotPending(f"The withdrawal is {withdrawal.status}, not {wanted}.")
    if by.pk == withdrawal.requested_by_id:
        raise CheckerIsMaker("Somebody else must see to this withdrawal.")
    if by.pk == withdrawal.decided_by_id:
        raise CheckerIsMaker("Who approved a withdrawal does not say what becomes of it.")


def refuse_taken_back(withdrawal: Withdrawal) -> None:
    """Refuse to pay out money that may be needed for a payment that is taken back.

    The withdrawal is locked; opening a refund or dispute locks it too.
    """
    if PaymentReturn.objects.of_player(withdrawal.player).unsettled().exists():
        raise PaymentDisputed("A payment of the player is disputed or being refunded.")
    if owed_minor(player=withdrawal.player, currency=withdrawal.currency):
        raise DebtOutstanding("The player owes for a payment that was taken back: reject it.")


def refuse_new_account(withdrawal: Withdrawal, now: datetime) -> None:
    until = withdrawal.account_new_until
    if until is not None and until > now:
        raise AccountNew(
            f"The bank account is new to the player, or how they sign in had just changed. "
            f"Approve it from {_moment(until)} on."
        )


def refuse_changed_account(withdrawal: Withdrawal, now: datetime) -> None:
    """Refuse while a change of address, password or second factor after the request is new."""
    until = held_until(withdrawal.player, now)
    if until is not None:
        raise AccountChanged(
            f"The player's address, password or second factor has just changed. "
            f"Approve it from {_moment(until)} on."
        )


def refuse_removed(payee: RegisteredPayee, player: User) -> None:
    if payee.removed_at is not None or payee.player_id != player.pk:
        raise UnknownPayee(_("You have registered no such bank account."))


def is_left_out(withdrawal: Withdrawal) -> bool:
    """Return whether an approved withdrawal is not sent to the bank for now."""
    with suppress(PaymentDisputed, DebtOutstanding, AccountChanged):
        refuse_taken_back(withdrawal)
        refuse_changed_account(withdrawal, database_now())
        return False
    return True


def refuse_frozen() -> None:
    # The ledger refuses withdrawals itself; returning them is a reversal and waits as well.
    if WithdrawalFreeze.objects.standing().exists():
        raise WithdrawalsFrozen(_("Withdrawals are stopped while we check our books."))


def refuse_unsent(withdrawal: Withdrawal, by: User) -> None:
    if withdrawal.batch is None:
        raise WithdrawalNotSent("Send it to the bank first.")
    if withdrawal.takes_three and withdrawal.batch.made_by_id == by.pk:
        raise CheckerIsMaker("So large an amount takes a third person: not who sent it.")


def refuse_silence(remark: str) -> None:
    if not remark.strip():
        raise RemarkMissing("Say why, or give the bank's reference.")
    refuse_lines(remark.strip())


def normal_reference(text: str) -> str:
    """Return a bank's reference in the form it is kept and compared in: capitals, no spaces."""
    return "".join(text.split()).upper()


def _moment(moment: datetime) -> str:
    return date_format(timezone.localtime(moment), "j M Y, H:i")
