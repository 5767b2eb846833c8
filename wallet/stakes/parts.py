"""The parts of stakes: which bucket or lot pays, and what can be refunded to it (RB 11.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from django.db.models import F
from django.utils.translation import gettext as _
from moneyed import Money

from wallet.bonuses.models import BonusGrant
from wallet.exceptions import InsufficientFunds
from wallet.ledger import posting
from wallet.ledger.models import Account, Bucket
from wallet.ledger.money import BASIS_POINTS, as_money, as_text, minor_units
from wallet.stakes.locks import LockedStake
from wallet.stakes.models import Stake, StakePart


class Share(NamedTuple):
    """The amount that one bucket, or one lot of the bonus, pays of an entry."""

    account: Account
    minor: int
    grant: BonusGrant | None = None


def spending_shares(
    buckets: Iterable[Account], lots: Sequence[BonusGrant], entry: Money, *, bonus_share_bps: int
) -> list[Share]:
    """Return the amount each bucket pays of an entry, in spending order.

    Raise `InsufficientFunds`. The bonus pays from the given lots in order; a balance in other lots,
    which have ended, pays nothing.
    """
    missing = entry_minor = minor_units(entry)
    by_kind = {account.kind: account for account in buckets}
    shares = []
    bonus = by_kind.pop(Bucket.BONUS, None)
    if bonus and bonus.status == Account.Status.OPEN:  # A frozen bucket pays nothing.
        limit = entry_minor * bonus_share_bps // BASIS_POINTS
        shares = _shares_of_lots(bonus, lots, limit)
        missing -= sum(share.minor for share in shares)
    for bucket in Bucket:
        account = by_kind.get(bucket)
        minor = min(account.balance_minor, missing) if account else 0
        if account and minor:
            shares.append(Share(account, minor))
            missing -= minor
    if missing:
        short = as_money(missing, entry.currency.code)
        raise InsufficientFunds(
            _("%(missing)s is missing for an entry of %(entry)s.")
            % {"missing": as_text(short), "entry": as_text(entry)}
        )
    return shares


def write_parts(stake: Stake, shares: Sequence[Share]) -> None:
    """Save which bucket or lot paid how much of a stake, in spending order."""
    StakePart.objects.bulk_create(
        StakePart(
            stake=stake,
            account=share.account,
            grant=share.grant,
            position=position,
            amount_minor=share.minor,
        )
        for position, share in enumerate(shares, start=1)
    )


def of_lots(amounts: Iterable[tuple[StakePart, int]]) -> Mapping[int, int]:
    """Return the sum of these parts' amounts for each bonus lot."""
    return merged((part.grant_id, minor) for part, minor in amounts if part.grant_id)


def parts_of(stakes: Sequence[Stake]) -> list[StakePart]:
    """Return the parts of stakes by stake, in spending order."""
    return list(StakePart.objects.filter(stake__in=stakes).order_by("stake", "position"))


def refund_entries(escrow: Account, paid: Sequence[StakePart]) -> list[posting.Entry]:
    """Return the entries that refund the parts of whole stakes, one per bucket.

    They use the original amounts, so that a repetition posts the same entries.
    """
    refunds = merged((part.account_id, part.amount_minor) for part in paid)
    return [(escrow, -sum(refunds.values())), *refunds.items()]


def consume_parts(stakes: Sequence[LockedStake]) -> None:
    """Record that the remainder of these stakes can no longer be refunded."""
    StakePart.objects.filter(stake__in=stakes).update(
        consumed_minor=F("amount_minor") - F("returned_minor")
    )


def refills(stakes: Sequence[Stake], share_minor: int) -> tuple[list[tuple[StakePart, int]], int]:
    """Return the refund of each part of one player's stakes, and the excess of the share.

    Stakes are refilled in the order given, each in spending order, up to their original amounts.
    """
    order = {stake.pk: place for place, stake in enumerate(stakes)}
    rows = list(StakePart.objects.filter(stake__in=stakes))
    refilled = []
    for part in sorted(rows, key=lambda part: (order[part.stake_id], part.position)):
        amount = min(part.amount_minor, share_minor)
        refilled.append((part, amount))
        share_minor -= amount
    return refilled, share_minor


def mark_refilled(refilled: Iterable[tuple[StakePart, int]]) -> None:
    """Record the refund of these parts; the game keeps the rest."""
    parts = []
    for part, amount in refilled:
        part.returned_minor, part.consumed_minor = amount, part.amount_minor - amount
        parts.append(part)
    StakePart.objects.bulk_update(parts, ["returned_minor", "consumed_minor"])


def _shares_of_lots(bonus: Account, lots: Iterable[BonusGrant], limit: int) -> list[Share]:
    shares = []
    for lot in lots:
        if minor := min(lot.remaining_minor, limit):
            shares.append(Share(bonus, minor, lot))
            limit -= minor
    return shares


def merged(amounts: Iterable[tuple[int, int]]) -> Mapping[int, int]:
    """Sum amounts by key: a transfer names each account once."""
    sums: Counter[int] = Counter()
    for pk, amount in amounts:
        sums[pk] += amount
    return sums
