"""A stake's parts: which bucket pays what, and what of it can still go back (RB 11.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from django.db.models import F
from moneyed import Money

from wallet import ledger
from wallet.exceptions import InsufficientFunds
from wallet.models import Account, Bucket, Stake, StakePart
from wallet.money import as_money, as_text, minor_units

BASIS_POINTS = 10_000


def spending_shares(
    buckets: Iterable[Account], entry: Money, *, bonus_share_bps: int
) -> list[tuple[Account, int]]:
    """Return what each bucket pays of an entry, in spending order, or refuse."""
    missing = entry_minor = minor_units(entry)
    by_kind = {account.kind: account for account in buckets}
    shares = []
    for bucket in Bucket:
        limit = entry_minor * bonus_share_bps // BASIS_POINTS if bucket == Bucket.BONUS else missing
        account = by_kind.get(bucket)
        share = min(account.balance_minor, limit, missing) if account else 0
        if account and share:
            shares.append((account, share))
            missing -= share
    if missing:
        short = as_money(missing, entry.currency.code)
        raise InsufficientFunds(f"{as_text(short)} is missing for an entry of {as_text(entry)}.")
    return shares


def write_parts(stake: Stake, shares: Sequence[tuple[Account, int]]) -> None:
    """Remember which bucket paid how much of a stake, in spending order."""
    StakePart.objects.bulk_create(
        StakePart(stake=stake, account=account, position=position, amount_minor=share)
        for position, (account, share) in enumerate(shares, start=1)
    )


def refund_entries(escrow: Account, stakes: Sequence[Stake]) -> list[ledger.Entry]:
    """Return the entries that carry whole stakes back, one per bucket.

    Of the whole amounts and not of what is left of them: a repetition must ask for the same.
    """
    parts = StakePart.objects.filter(stake__in=stakes).order_by("stake", "position")
    refunds = merged(parts.values_list("account_id", "amount_minor"))
    return [(escrow, -sum(refunds.values())), *refunds.items()]


def consume_parts(stakes: Sequence[Stake]) -> None:
    """Note that what is left of these stakes can no longer go back to its buckets."""
    StakePart.objects.filter(stake__in=stakes).update(
        consumed_minor=F("amount_minor") - F("returned_minor")
    )


def refills(stakes: Sequence[Stake], share_minor: int) -> tuple[list[tuple[StakePart, int]], int]:
    """Return what of a share goes back to each part of one player's stakes, and what is left over.

    Stakes in the order given, each in spending order; of whole amounts like `refund_entries`.
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
    """Note what of these parts went back; the rest of them stayed with the game."""
    parts = []
    for part, amount in refilled:
        part.returned_minor, part.consumed_minor = amount, part.amount_minor - amount
        parts.append(part)
    StakePart.objects.bulk_update(parts, ["returned_minor", "consumed_minor"])


def mark_returned(stakes: Sequence[Stake]) -> None:
    """Note that these stakes went back in full."""
    StakePart.objects.filter(stake__in=stakes).update(returned_minor=F("amount_minor"))


def merged(amounts: Iterable[tuple[int, int]]) -> Mapping[int, int]:
    """Sum amounts per account: a transfer names each account once."""
    sums: Counter[int] = Counter()
    for account_pk, amount in amounts:
        sums[account_pk] += amount
    return sums
