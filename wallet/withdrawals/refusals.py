"""Checks of a withdrawal before its approval, and the conditions of its steps (RB 11.2).

Each condition raises an error of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from core.clock import database_now
from core.exceptions import CheckerIsMaker, Refusal
from core.text_validation import refuse_lines
from players.accounts.models import User
from players.eligibility.hold_models import Hold
from players.identity.states import current_verification, is_same_name
from players.sign_in.security.changes import held_until
from players.sign_in.security.models import AccountChange
from wallet.audit.models import WithdrawalFreeze
from wallet.deposits.debts import owed_minor
from wallet.deposits.payment_models import PaymentReturn
from wallet.exceptions import (
    AccountChanged,
    AccountNew,
    DebtOutstanding,
    PayeeUnreadable,
    PaymentDisputed,
    ReferenceUsed,
    RemarkMissing,
    UnknownPayee,
    WithdrawalNotPending,
    WithdrawalNotSent,
    WithdrawalsFrozen,
)
from wallet.withdrawals.models import Withdrawal
from wallet.withdrawals.payees.models import RegisteredPayee
from wallet.withdrawals.payees.sealing import open_payee, payee_hashes


def refuse_used(withdrawal: Withdrawal, reference: str) -> None:
    others = Withdrawal.objects.paid_under(reference, currency=withdrawal.currency)
    if other := others.exclude(pk=withdrawal.pk).first():
        raise ReferenceUsed(
            f"The bank's reference {reference} belongs to withdrawal {other.public_id}: "
            f"each payment has its own reference."
        )


def refuse_step(withdrawal: Withdrawal, wanted: Withdrawal.Status, by: User) -> None:
    """Raise for a step in the wrong state, or by the person who requested or decided it before."""
    refuse_frozen()
    if withdrawal.status != wanted:
        raise WithdrawalNotPending(f"The withdrawal is {withdrawal.status}, not {wanted}.")
    if by.pk == withdrawal.requested_by_id:
        raise CheckerIsMaker("Another person must handle this withdrawal.")
    if by.pk == withdrawal.decided_by_id:
        raise CheckerIsMaker("You approved this withdrawal; another person must record its result.")


def refuse_taken_back(withdrawal: Withdrawal) -> None:
    """Raise if the money may be needed for a payment that is taken back.

    The caller has locked the withdrawal; opening a refund or dispute locks it too.
    """
    if PaymentReturn.objects.of_player(withdrawal.player).unsettled().exists():
        raise PaymentDisputed("A payment of the player is disputed or being refunded.")
    if owed_minor(player=withdrawal.player, currency=withdrawal.currency):
        raise DebtOutstanding("The player owes money for a reversed payment: reject it.")


def refuse_new_account(withdrawal: Withdrawal, now: datetime) -> None:
    until = withdrawal.account_new_until
    if until is not None and until > now:
        raise AccountNew(
            f"The bank account is new to the player, or their sign-in had just changed. "
            f"Approve it after {moment_text(until)}."
        )


def refuse_changed_account(withdrawal: Withdrawal, now: datetime) -> None:
    """Raise while a change of address, password or second factor after the request is new."""
    until = held_until(withdrawal.player, now)
    if until is not None:
        raise AccountChanged(
            f"The player's address, password or second factor has just changed. "
            f"Approve it after {moment_text(until)}."
        )


def refuse_removed(payee: RegisteredPayee, player: User) -> None:
    if payee.removed_at is not None or payee.player_id != player.pk:
        raise UnknownPayee(_("This bank account is not registered."))


def is_left_out(withdrawal: Withdrawal) -> bool:
    """Return whether an approved withdrawal cannot be sent to the bank for now."""
    with suppress(PaymentDisputed, DebtOutstanding, AccountChanged):
        refuse_taken_back(withdrawal)
        refuse_changed_account(withdrawal, database_now())
        return False
    return True


def refuse_frozen() -> None:
    # The ledger refuses withdrawals itself; a reversal that returns one must wait too.
    if WithdrawalFreeze.objects.active().exists():
        raise WithdrawalsFrozen(_("Withdrawals are stopped while we check our accounts."))


def refuse_unsent(withdrawal: Withdrawal, by: User) -> None:
    if withdrawal.batch is None:
        raise WithdrawalNotSent("Send it to the bank first.")
    if withdrawal.takes_three and withdrawal.batch.made_by_id == by.pk:
        raise CheckerIsMaker("You sent this withdrawal; an amount this large needs a third person.")


def require_remark(remark: str) -> None:
    if not remark.strip():
        raise RemarkMissing("Enter a reason, or the bank's reference.")
    refuse_lines(remark.strip())


def normal_reference(text: str) -> str:
    """Return a bank's reference in the stored form: capitals, no spaces."""
    return "".join(text.split()).upper()


def moment_text(moment: datetime) -> str:
    return date_format(timezone.localtime(moment), "j M Y, H:i")


def findings(withdrawal: Withdrawal) -> Iterator[str]:
    """Yield a sentence for each finding; some findings also refuse the approval."""
    if not withdrawal.player.is_active:
        yield _("The player's account is blocked or closed.")
    if Hold.objects.active().filter(player=withdrawal.player, kind=Hold.Kind.WITHDRAW).exists():
        yield _("The player's withdrawals are on hold.")
    now = database_now()
    if new_until := withdrawal.payee.new_until(now):
        yield _("The bank account is new until %(until)s.") % {"until": moment_text(new_until)}
    changes = AccountChange.objects.of_player(withdrawal.player).holding()
    if (until := held_until(withdrawal.player, now)) and (change := changes.first()):
        yield _("%(change)s: it cannot be approved before %(until)s.") % {
            "change": change.get_kind_display(),
            "until": moment_text(until),
        }
    if withdrawal.payee.merger:
        yield str(withdrawal.payee.merger)
    if number := others_with(withdrawal.payee).count():
        yield _("Other players with this account: %(number)d.") % {"number": number}
    yield from _of_the_name(withdrawal)
    try:
        refuse_taken_back(withdrawal)
    except Refusal as refusal:
        yield str(refusal)


def others_with(payee: RegisteredPayee) -> QuerySet[User]:
    """Return the other players who have ever registered the same bank account."""
    hashes = [payee.payee_hash]
    with suppress(PayeeUnreadable):
        hashes += payee_hashes(open_payee(payee))
    registered = RegisteredPayee.objects.filter(payee_hash__in=hashes)
    others = User.objects.filter(pk__in=registered.values("player")).exclude(pk=payee.player_id)
    return others.order_by("pk")


def _of_the_name(withdrawal: Withdrawal) -> Iterator[str]:
    known = current_verification(withdrawal.player)
    if known is None:
        yield _("The player's identity is not verified.")
        return
    try:
        name = open_payee(withdrawal.payee).name
    except PayeeUnreadable as refusal:
        yield str(refusal)
        return
    if not is_same_name(known.name, name):
        yield _("The account holder's name differs from the player's document.")
