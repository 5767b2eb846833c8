"""Register and remove bank accounts for withdrawals."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.clock import database_now
from core.db.identifiers import new_public_id
from players.accounts.models import User
from players.eligibility.verdicts import Act, require_may, require_own_name
from players.notifications.models import Notification
from players.notifications.steps import Recipient, notify
from players.sign_in.security.changes import record_change
from players.sign_in.security.models import AccountChange
from wallet.exceptions import PayeeRegistered, TooManyPayees, UnknownPayee
from wallet.withdrawals.payees.banks import refuse_wrong_ifsc
from wallet.withdrawals.payees.models import RegisteredPayee
from wallet.withdrawals.payees.sealing import (
    Payee,
    open_payee,
    payee_hash,
    payee_hashes,
    seal_payee,
)

PAYEES_MAX = 3


@transaction.atomic
def register_payee(*, player: User, payee: Payee) -> RegisteredPayee:
    """Register a bank account; return the existing one if it is registered already.

    A player's first is usable at once; any other after `NEW_ACCOUNT_HOURS`. The player is
    notified of each. Codes: `bad_ifsc`, `bank_merged`, `payee_registered`, `too_many_payees`.
    """
    require_may(player, Act.WITHDRAW)
    require_own_name(player, payee.name)
    refuse_wrong_ifsc(payee.ifsc)
    # Concurrent registrations wait here, so that only one is the first.
    User.objects.select_for_update(no_key=True).get(pk=player.pk)
    mine = RegisteredPayee.objects.of_player(player)
    if known := mine.active().filter(payee_hash__in=payee_hashes(payee)).first():
        return _the_same(known, payee)
    if mine.active().count() >= PAYEES_MAX:
        text = ngettext(
            "You have registered %(number)d bank account. Remove it first.",
            "You have registered %(number)d bank accounts. Remove one first.",
            PAYEES_MAX,
        )
        raise TooManyPayees(text % {"number": PAYEES_MAX})
    public_id, now = new_public_id(), database_now()
    term = timedelta(hours=settings.NEW_ACCOUNT_HOURS)
    registered = RegisteredPayee.objects.create(
        public_id=public_id,
        player=player,
        encrypted_payee=seal_payee(payee, public_id=public_id),
        bank=payee.bank,
        account_end=payee.account_end,
        payee_hash=payee_hash(payee),
        registered_at=now,
        usable_from=now + term if mine.exists() else None,
    )
    _notify(registered, now)
    record_change(
        player=player,
        kind=AccountChange.Kind.PAYEE_ADDED,
        subject=_in_any_language(registered),
        happens_at=registered.usable_from,
    )
    return registered


@transaction.atomic
def remove_payee(*, player: User, public_id: UUID) -> RegisteredPayee:
    """Deactivate a bank account; withdrawals already requested continue."""
    mine = RegisteredPayee.objects.of_player(player)
    registered = mine.locked().filter(public_id=public_id).first()
    if registered is None:
        raise UnknownPayee(_("This bank account is not registered."))
    if registered.removed_at is None:
        registered.removed_at = database_now()
        registered.save(update_fields=["removed_at"])
        kind, subject = AccountChange.Kind.PAYEE_REMOVED, _in_any_language(registered)
        record_change(player=player, kind=kind, subject=subject)
    return registered


def payee_of(*, player: User, public_id: UUID) -> RegisteredPayee:
    """Return an active registered bank account of the player."""
    active = RegisteredPayee.objects.of_player(player).active()
    registered = active.filter(public_id=public_id).first()
    if registered is None:
        raise UnknownPayee(_("This bank account is not registered."))
    return registered


def _the_same(known: RegisteredPayee, payee: Payee) -> RegisteredPayee:
    if open_payee(known) != payee:
        raise PayeeRegistered(
            _("This bank account is registered with another name or branch. Remove that first.")
        )
    return known


def _in_any_language(registered: RegisteredPayee) -> str:
    """Return the bank and the last digits, for records that are not translated."""
    return f"{registered.bank} …{registered.account_end}"


def _notify(registered: RegisteredPayee, now: datetime) -> None:
    notify(
        [Recipient(registered.player)],
        kind=Notification.Kind.PAYEE_REGISTERED,
        key=f"payee:{registered.public_id}",
        subject=registered.account_end,
        happens_at=registered.usable_from or now,
        now=now,
    )
