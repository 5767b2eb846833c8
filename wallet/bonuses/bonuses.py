"""Bonuses given, and how their lots follow the money (RB 11.1).

Lock order: lots by primary key before accounts, so that a sweep may pass over what others hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from moneyed import Money

from core.clock import database_now
from core.text_validation import refuse_lines
from players.accounts.models import User
from players.eligibility.verdicts import Act, require_may
from wallet.bonuses.freezes import has_ended
from wallet.bonuses.models import (
    ACCOUNT_OF_MODE,
    TERM_DAYS_MAX,
    BonusGrant,
    BonusMode,
    BonusMovement,
)
from wallet.exceptions import (
    AmountOutOfRange,
    BonusTermRefused,
    KeyConflict,
    ReleaseShareRefused,
    RemarkMissing,
)
from wallet.ledger import accounts, cash_offered, posting
from wallet.ledger.models import Account, Transfer
from wallet.ledger.money import BASIS_POINTS, MINOR_UNITS_MAX, minor_units
from wallet.stakes.models import Stake

# Of each settled entry so much moves from a locked bonus to winnings (RB 11.1).
RELEASE_SHARE_BPS = 1_000


@transaction.atomic
def grant_bonus(
    *,
    player: User,
    amount: Money,
    mode: BonusMode,
    expires_at: datetime,
    key: str,
    reason: str,
    release_bps: int | None = None,
    by: User | None = None,
) -> BonusGrant:
    """Give a player a lot out of the house's promotions; the same key again returns the first.

    `key` names the fact it is given for. A lot to spend lies in the bonus bucket at once. One to be
    released lies in an account of its own, which pays for nothing: of each settled entry
    `release_bps` (a tenth, if not said) become winnings. Only for those who may play for cash, and
    never in play points, of which a tenth of an entry would be worth nothing.
    """
    share_bps = refuse_terms(
        player=player, amount=amount, mode=mode, release_bps=release_bps, reason=reason
    )
    now, amount_minor = database_now(), minor_units(amount)
    if not now < expires_at <= now + timedelta(days=TERM_DAYS_MAX):
        raise BonusTermRefused(f"a bonus ends after it begins, within {TERM_DAYS_MAX} days")
    currency, kind = amount.currency.code, ACCOUNT_OF_MODE[mode]
    account = accounts.open_player_account(player=player, currency=currency, kind=kind)
    promotions = accounts.operator_account(kind=Account.Kind.PROMOTIONS, currency=currency)
    transfer = posting.post(
        key=f"bonus:{key}",
        kind=Transfer.Kind.BONUS,
        entries=[(promotions, -amount), (account, amount)],
        document=Transfer.Document.LOT,
        memo=reason.strip(),
        actor=by.actor if by else "house",
    )
    if transfer.is_replay:
        return _granted_before(transfer)
    grant = BonusGrant.objects.create(
        account=account,
        transfer=transfer,
        mode=mode,
        amount_minor=amount_minor,
        remaining_minor=amount_minor,
        release_bps=share_bps,
        reason=reason.strip(),
        granted_by=by,
        granted_at=now,
        expires_at=expires_at,
    )
    BonusMovement.objects.create(grant=grant, transfer=transfer, amount_minor=amount_minor)
    return grant


def refuse_terms(
    *, player: User, amount: Money, mode: BonusMode, release_bps: int | None, reason: str
) -> int | None:
    """Raise unless such a bonus can be given; return the share it is released by, if it is."""
    require_may(player, Act.BONUS)
    cash_offered.refuse_amount(amount)
    if minor_units(amount) > MINOR_UNITS_MAX:
        raise AmountOutOfRange("the amount does not fit into 64 bits")
    if not reason.strip():
        raise RemarkMissing("a bonus needs its reason, which its player reads")
    refuse_lines(reason.strip())
    if mode == BonusMode.SPEND:
        if release_bps is not None:
            raise ReleaseShareRefused("a bonus is spent or released, never both")
        return None
    share_bps = RELEASE_SHARE_BPS if release_bps is None else release_bps
    if not 1 <= share_bps <= BASIS_POINTS:
        raise ReleaseShareRefused("of a settled entry more than nothing is released, all at most")
    return share_bps


def lock_spendable(*, player: User, currency: str) -> list[BonusGrant]:
    """Lock the lots that may pay a part of an entry now, soonest ending first."""
    lots = BonusGrant.objects.of_player(player).filter(
        mode=BonusMode.SPEND, account__currency=currency
    )
    live = not_ended(list(lots.left().locked()))
    return sorted(live, key=lambda lot: (lot.expires_at, lot.pk))


def not_ended(lots: Sequence[BonusGrant]) -> list[BonusGrant]:
    """Return those of locked lots whose end has not come; it may have while others waited."""
    now = database_now() if lots else None
    return [lot for lot in lots if now and not has_ended(lot, now)]


def lock_spent(stakes: Sequence[Stake]) -> list[BonusGrant]:
    """Lock the lots that paid a part of these stakes."""
    lots = BonusGrant.objects.filter(stake_parts__stake__in=stakes).values("pk")
    return list(BonusGrant.objects.filter(pk__in=lots).select_related("account").locked())


def move(transfer: Transfer, amounts: Mapping[int, int]) -> None:
    """Let lots follow a transfer; the caller has locked them, and they add up to its entries."""
    moved = {grant_pk: minor for grant_pk, minor in amounts.items() if minor}
    BonusMovement.objects.bulk_create(
        BonusMovement(grant_id=grant_pk, transfer=transfer, amount_minor=minor)
        for grant_pk, minor in moved.items()
    )
    for grant_pk, minor in moved.items():
        BonusGrant.objects.filter(pk=grant_pk).update(remaining_minor=F("remaining_minor") + minor)


def _granted_before(transfer: Transfer) -> BonusGrant:
    grant = BonusGrant.objects.filter(transfer=transfer).select_related("account").first()
    if grant is None:
        raise KeyConflict(f"the key {transfer.key} belongs to another transfer")
    return grant
