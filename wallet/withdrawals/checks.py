"""Checks of a withdrawal before its approval."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from core.clock import database_now
from core.exceptions import Refusal
from players.accounts.models import User
from players.eligibility.hold_models import Hold
from players.identity.states import current_verification, is_same_name
from players.sign_in.security.changes import held_until
from players.sign_in.security.models import AccountChange
from wallet.exceptions import PayeeUnreadable
from wallet.withdrawals.models import Withdrawal
from wallet.withdrawals.payees.models import RegisteredPayee
from wallet.withdrawals.payees.sealing import open_payee, payee_hashes
from wallet.withdrawals.refusals import moment_text, refuse_taken_back


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
