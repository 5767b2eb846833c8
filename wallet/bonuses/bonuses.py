"""Granting bonuses, moving their lots with the money, and when lots end (RB 11.1).

Lock order: lots by primary key before accounts, so that a sweep can skip locked lots.

In a wind-down bonuses are frozen, since there is no play to spend them on. The end of a lot is
extended by the time its player's place was in wind-down during the lot's life, computed from the
place's dated rows, so nothing is written when a wind-down begins or ends. A wind-down of the whole
installation (`CASH_WIND_DOWN`) has no dates: it suspends the end meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NewType

from django.conf import settings
from django.db import transaction
from moneyed import Money

from core.clock import database_now
from core.db.statements import Statement
from core.text_validation import refuse_lines
from players.accounts.models import User
from players.eligibility.places.regions import lives_in_wind_down, wind_downs_of
from players.eligibility.verdicts import Act, require_may
from wallet.bonuses.models import (
    ACCOUNT_OF_MODE,
    TERM_DAYS_MAX,
    BonusGrant,
    BonusGrantQuerySet,
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

# A lot that this transaction has locked; only `lock_lots` creates one.
LockedLot = NewType("LockedLot", BonusGrant)

_MOVE: Final = Statement(
    "WITH moved AS (INSERT INTO wallet_bonusmovement (transfer_id, grant_id, amount_minor)"
    " SELECT %s, lot, minor FROM unnest(%s::bigint[], %s::bigint[]) AS wanted (lot, minor)"
    " RETURNING grant_id, amount_minor)"
    " UPDATE wallet_bonusgrant AS g SET remaining_minor = remaining_minor + m.amount_minor"
    " FROM moved AS m WHERE g.id = m.grant_id RETURNING g.id"
)

# The default share of each settled entry that moves from a locked bonus to winnings (RB 11.1).
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
    """Grant a player a lot from promotions; the same key again returns the first.

    `key` names the reason for the grant. A spendable lot is credited to the bonus bucket, a locked
    lot
    to its own account, which pays nothing: of each settled entry `release_bps` (default: a tenth)
    becomes winnings. Raise unless the player may play for cash; play points are refused, because a
    tenth of an entry in them would be worth nothing.
    """
    share_bps = refuse_terms(
        player=player, amount=amount, mode=mode, release_bps=release_bps, reason=reason
    )
    now, amount_minor = database_now(), minor_units(amount)
    if not now < expires_at <= now + timedelta(days=TERM_DAYS_MAX):
        raise BonusTermRefused(f"a bonus must end after it begins, within {TERM_DAYS_MAX} days")
    currency, kind = amount.currency.code, ACCOUNT_OF_MODE[mode]
    account = accounts.open_player_account(player=player, currency=currency, kind=kind)
    promotions = accounts.operator_account(kind=Account.Kind.PROMOTIONS, currency=currency)
    transfer = posting.post(
        key=f"bonus:{key}",
        kind=Transfer.Kind.BONUS,
        entries=[(promotions, -amount), (account, amount)],
        document=Transfer.Document.LOT,
        memo=reason.strip(),
        actor=by.actor if by else "system",
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
    """Raise unless a bonus with these terms is allowed; return its release share, or None."""
    require_may(player, Act.BONUS)
    cash_offered.refuse_amount(amount)
    if minor_units(amount) > MINOR_UNITS_MAX:
        raise AmountOutOfRange("the amount does not fit into 64 bits")
    if not reason.strip():
        raise RemarkMissing("a bonus needs a reason, which the player can read")
    refuse_lines(reason.strip())
    if mode == BonusMode.SPEND:
        if release_bps is not None:
            raise ReleaseShareRefused("only locked bonuses have a released share")
        return None
    share_bps = RELEASE_SHARE_BPS if release_bps is None else release_bps
    if not 1 <= share_bps <= BASIS_POINTS:
        raise ReleaseShareRefused("the released share must be above 0 and at most 100 percent")
    return share_bps


def lock_spendable(*, player: User, currency: str) -> list[LockedLot]:
    """Lock the lots that may pay a part of an entry now, those that end soonest first."""
    lots = BonusGrant.objects.of_player(player).filter(
        mode=BonusMode.SPEND, account__currency=currency
    )
    live = not_ended(lock_lots(lots.left()))
    return sorted(live, key=lambda lot: (lot.expires_at, lot.pk))


def lock_lots(lots: BonusGrantQuerySet) -> list[LockedLot]:
    """Lock these lots in primary key order, and read the database's time of each lock."""
    locked, values = lots.locked().query.sql_with_params()
    # The time is read from the materialized rows, that is once each of them is locked.
    timed = f"WITH locked AS MATERIALIZED ({locked}) SELECT *, ledger_now() AS at FROM locked"  # noqa: S608
    return [LockedLot(lot) for lot in BonusGrant.objects.raw(timed, values)]


def not_ended(lots: Sequence[LockedLot]) -> list[LockedLot]:
    """Return the locked lots that have not ended; some may have while waiting for the lock."""
    now = max((vars(lot)["at"] for lot in lots), default=None)
    return [lot for lot in lots if now and not has_ended(lot, now)]


def lock_spent(stakes: Sequence[Stake]) -> list[LockedLot]:
    """Lock the lots that paid a part of these stakes."""
    lots = BonusGrant.objects.filter(stake_parts__stake__in=stakes).values("pk")
    return lock_lots(BonusGrant.objects.filter(pk__in=lots))


def move(transfer: Transfer, amounts: Mapping[int, int]) -> None:
    """Record a transfer's effect on locked lots; the amounts sum to its bonus entries."""
    moved = {grant_pk: minor for grant_pk, minor in amounts.items() if minor}
    if moved:
        _MOVE.rows(transfer.pk, [*moved], [*moved.values()])


def _granted_before(transfer: Transfer) -> BonusGrant:
    grant = BonusGrant.objects.filter(transfer=transfer).select_related("account").first()
    if grant is None:
        raise KeyConflict(f"the key {transfer.key} belongs to another transfer")
    return grant


def end_of(lot: BonusGrant) -> datetime | None:
    """Return when a lot ends; None while it is frozen."""
    player = lot.account.player
    assert player is not None, "a bonus account has a player"
    end: datetime = lot.expires_at
    for begun, over in wind_downs_of(player.country, player.region):
        if begun >= end:
            break
        if over is None:
            return None
        if over > lot.granted_at:
            end += over - max(begun, lot.granted_at)
    return None if settings.CASH_WIND_DOWN else end


def has_ended(lot: BonusGrant, now: datetime) -> bool:
    """Return whether a lot has ended; most are decided by their term alone."""
    if lot.expires_at > now:
        return False
    end = end_of(lot)
    return end is not None and end <= now


def without_frozen(lots: BonusGrantQuerySet) -> BonusGrantQuerySet:
    """Exclude the lots that are frozen now."""
    if settings.CASH_WIND_DOWN:
        return lots.none()
    return lots.exclude(lives_in_wind_down("account__player__"))
