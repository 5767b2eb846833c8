"""Payments into games, their refunds, and the payout.

Lock order: the caller's game first, then stakes, lots of bonuses, accounts, each by primary key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from django.db import transaction
from django.db.models import Exists
from moneyed import Money

from core.clock import DatabaseNow
from core.db.statements import Statement
from players.accounts.models import User
from wallet.bonuses import bonuses
from wallet.bonuses import expiry as bonus_expiry
from wallet.bonuses import release as bonus_release
from wallet.bonuses.models import BonusGrant
from wallet.deposits import debts
from wallet.exceptions import CurrencyMismatch, KeyConflict, StakeNotLive, StakesIncomplete
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.ledger.money import as_money, minor_units
from wallet.stakes import parts
from wallet.stakes.locks import LockedStake, lock_stake, lock_stakes
from wallet.stakes.losses import limits_on_stakes, stake_verdict
from wallet.stakes.models import Stake, StakePart
from wallet.stakes.rake import rake_entries, rake_of_entry

# Parts first: those of a closed stake do not change.
_REFUNDED: Final = Statement(
    "WITH refunded AS (UPDATE wallet_stakepart SET returned_minor = amount_minor"
    " WHERE stake_id = ANY (%s::bigint[]) RETURNING stake_id)"
    " UPDATE wallet_stake SET status = 'refunded', closed_at = ledger_now()"
    " WHERE id = ANY (ARRAY(SELECT stake_id FROM refunded)) RETURNING id"
)
# The most bonus money may pay of an entry (RB 11.1).
BONUS_SHARE_BPS = 1_000
# A transfer has at most a thousand entries; some are for the escrow and the rake.
PAID_AT_ONCE: Final = 900


@transaction.atomic(savepoint=False)
def take_stake(
    *,
    player: User,
    escrow: Account,
    entry: Money,
    rake_bps: int,
    key: str,
    actor: str = "",
    memo: str = "",
    bonus_share_bps: int = BONUS_SHARE_BPS,
) -> Stake:
    """Pay an entry into a game's escrow from bonus, deposit and winnings, in that order.

    Before writing, raise `InsufficientFunds`, `DebtOutstanding` or the refusal of the player's own
    limit. The same key again returns the first stake.
    """
    rake_minor = rake_of_entry(minor_units(entry), rake_bps)
    buckets = list(Account.objects.buckets_of(player).filter(currency=entry.currency.code))
    lots = _lots_to_spend(player, buckets)
    # The escrow is locked too, although its balance is not read, to take all locks in order.
    locked = posting.lock([*buckets, escrow])

    wanted = Stake(
        player=player, escrow=escrow, entry_minor=minor_units(entry), rake_minor=rake_minor
    )
    found = _before_paying(player, escrow, key)
    if found.is_taken and (earlier := _taken_before(wanted, key)):
        return earlier
    debts.refuse_debt(as_money(found.owed_minor, escrow.currency))
    if found.has_limit:
        stake_verdict(player=player, escrow=escrow, entry=entry).enforce()
    now = [locked[bucket.pk] for bucket in buckets]
    shares = parts.spending_shares(now, lots, entry, bonus_share_bps=bonus_share_bps)

    paid = parts.merged((share.account.pk, share.minor) for share in shares)
    transfer = posting.post(
        key=key,
        kind=Transfer.Kind.BUY_IN,
        entries=[*((account_pk, -minor) for account_pk, minor in paid.items()), (escrow, entry)],
        document=Transfer.Document.STAKE,
        game=escrow.ref,
        memo=memo,
        actor=actor,
    )
    wanted.transfer = transfer
    wanted.save(force_insert=True)
    parts.write_parts(wanted, shares)
    bonuses.move(transfer, {share.grant.pk: -share.minor for share in shares if share.grant})
    return wanted


def lock_for_return(*, stakes: Sequence[Stake], also: Sequence[Account] = ()) -> None:
    """Lock everything that refunding these stakes of one game may move, and `also`.

    Needed if a game is refunded in several postings of one transaction: two games with the same
    players would otherwise deadlock on the accounts.
    """
    if not stakes:
        return
    escrow = stakes[0].escrow
    lots = bonuses.lock_spent(stakes)
    moved = {escrow.pk, *(account.pk for account in also), *(lot.account_id for lot in lots)}
    moved.update(StakePart.objects.filter(stake__in=stakes).values_list("account_id", flat=True))
    if lots:  # Refunds of ended bonuses are moved to promotions.
        kind = Account.Kind.PROMOTIONS
        moved.add(accounts.operator_account(kind=kind, currency=escrow.currency).pk)
    posting.lock(moved)


@transaction.atomic(savepoint=False)
def return_stakes(
    *, stakes: Sequence[Stake], key: str, actor: str = "", memo: str = ""
) -> Transfer:
    """Refund stakes of one game in full, to the buckets and lots they came from.

    Refunds to an ended bonus are moved to promotions at once (RB 11.1). Without an `actor` it is
    the player of the first stake.
    """
    escrow, locked = _lock_stakes(stakes, key=key, allowed=[Stake.Status.LIVE])
    paid = parts.parts_of(locked)
    entries = parts.refund_entries(escrow, paid)
    lots = bonuses.lock_spent(locked) if any(part.grant_id for part in paid) else []
    ended = bonus_expiry.lock_ended(lots, dict(entries), currency=escrow.currency)
    transfer = posting.post(
        key=key,
        kind=Transfer.Kind.REFUND,
        entries=entries,
        document=Transfer.Document.STAKES,
        game=escrow.ref,
        memo=memo,
        actor=actor or locked[0].player.actor,
    )
    if not transfer.is_replay:
        _REFUNDED.rows([stake.pk for stake in locked])
        returned = [(part, part.amount_minor) for part in paid]
        bonus_expiry.return_to_lots(transfer, parts.of_lots(returned), ended)
        debts.collect_debts(transfer)
    return transfer


@transaction.atomic(savepoint=False)
def cancel_game(
    *,
    escrow: Account,
    stakes: Sequence[Stake],
    key: str,
    shares: Sequence[tuple[User, Money]] = (),
    actor: str = "",
    memo: str = "",
) -> Transfer:
    """Cancel a game in one posting: refund its players and book the rake of lost entries (RB 7.7).

    Without `shares` each player's entries are refunded; once entries are lost, the caller passes
    each
    player's share. A share refills the player's own entries, those in play first; the excess
    becomes winnings. No share may be below the entries the player still has in play.
    """
    in_play = [Stake.Status.LIVE, Stake.Status.LOST]
    holding, locked = _lock_stakes(stakes, key=key, allowed=in_play)
    assert holding.pk == escrow.pk, "the stakes are this game's"
    # A repetition finds the stakes closed: refunded if they were in play, settled if lost.
    kept_states = [Stake.Status.LIVE, Stake.Status.REFUNDED]
    kept = [stake for stake in locked if stake.status in kept_states]
    lost = [stake for stake in locked if stake.status not in kept_states]
    entries = parts.merged((stake.player_id, stake.entry_minor) for stake in kept)
    owed = _shares_minor(shares, escrow.currency) if shares else entries
    rake_minor = sum(stake.rake_minor for stake in lost)
    paid_in = sum(stake.entry_minor for stake in locked)
    _refuse_shares(owed, entries, rake_minor=rake_minor, paid_in=paid_in)

    refilled, winnings = _refill([*kept, *lost], owed, escrow.currency)
    back = parts.merged([*((part.account_id, share) for part, share in refilled), *winnings])
    rake = rake_entries(escrow, rake_minor)
    moved = [(account_pk, minor) for account_pk, minor in back.items() if minor]
    ended = bonus_expiry.lock_ended(
        bonuses.lock_spent(locked), [escrow.pk, *dict(moved), *dict(rake)], currency=escrow.currency
    )
    transfer = posting.post(
        key=key,
        kind=Transfer.Kind.REFUND,
        entries=[(escrow, -paid_in), *moved, *rake],
        document=Transfer.Document.GAME,
        game=escrow.ref,
        must_be_empty=[escrow],
        memo=memo,
        actor=actor,
    )
    if not transfer.is_replay:
        parts.mark_refilled(refilled)
        bonus_expiry.return_to_lots(transfer, parts.of_lots(refilled), ended)
        _close(kept, Stake.Status.REFUNDED)
        _close(lost, Stake.Status.SETTLED)
        debts.collect_debts(transfer)
    return transfer


@transaction.atomic(savepoint=False)
def lose_stake(*, stake: Stake) -> Stake:
    """Mark a stake as lost to the pot: its player is eliminated or has rejoined (RB 7.3, 7.7)."""
    locked = lock_stake(stake.pk)
    if locked.status == Stake.Status.LOST:
        return locked
    if locked.status != Stake.Status.LIVE:
        raise StakeNotLive(f"the stake is {locked.status}")
    parts.consume_parts([locked])
    locked.status = Stake.Status.LOST
    locked.save(update_fields=["status"])
    return locked


@transaction.atomic(savepoint=False)
def settle_game(
    *,
    escrow: Account,
    stakes: Sequence[Stake],
    prizes: Sequence[tuple[User, Money]],
    key: str,
    to_accounts: Sequence[tuple[Account, Money]] = (),
    added_minor: int = 0,
    actor: str = "",
    memo: str = "",
) -> Transfer:
    """Pay a finished game from its escrow: prizes and rake, leaving nothing.

    Writes one posting, or several in one transaction if there are more payments than entries in a
    posting. Prizes are paid to winnings, `to_accounts` elsewhere; `added_minor` is the operator's
    overlay for a guarantee. The rake is the sum stored at the buy-ins and becomes revenue now
    (RB 7.5). Every settled entry releases its share of the player's locked bonuses (RB 11.1). A
    second call returns the first transfer that emptied the escrow.
    """
    in_play = [Stake.Status.LIVE, Stake.Status.LOST]
    # A season and a free game have no stakes: the operator pays all of their prizes.
    holding, locked = _lock_stakes(stakes, key=key, allowed=in_play) if stakes else (escrow, [])
    assert holding.pk == escrow.pk, "the stakes are this game's"
    paid_in = sum(stake.entry_minor for stake in locked)
    rake_minor = sum(stake.rake_minor for stake in locked)
    winnings = _prize_entries(prizes, escrow.currency)
    elsewhere = parts.merged((account.pk, minor_units(money)) for account, money in to_accounts)
    held = paid_in + added_minor
    if sum(winnings.values()) + sum(elsewhere.values()) + rake_minor != held:
        raise StakesIncomplete(f"prizes and rake are not the {held} minor units paid in")

    rake = rake_entries(escrow, rake_minor)
    paid = sorted([*winnings.items(), *elsewhere.items()])
    moved = [escrow.pk, *dict(paid), *dict(rake)]
    lots = bonus_release.lock_releasable(locked, moved, currency=escrow.currency)
    if len(paid) > PAID_AT_ONCE:
        posting.lock(moved)  # Several postings follow: take all locks in order.
    transfer = _pay_out(escrow, paid, rake, key=key, actor=actor, memo=memo)
    if not transfer.is_replay:
        parts.consume_parts(locked)
        _close(locked, Stake.Status.SETTLED)
        bonus_release.release(locked, lots)
    return transfer


def _pay_out(
    escrow: Account,
    paid: Sequence[tuple[int, int]],
    rake: Sequence[tuple[int, int]],
    *,
    key: str,
    actor: str,
    memo: str,
) -> Transfer:
    """Post the payments; the last posting includes the rake and empties the escrow."""
    while len(paid) > PAID_AT_ONCE:
        some, paid = paid[:PAID_AT_ONCE], paid[PAID_AT_ONCE:]
        first = posting.post(
            key=f"{key}:{some[0][0]}",
            kind=Transfer.Kind.PRIZE,
            entries=[(escrow, -sum(minor for _, minor in some)), *some],
            document=Transfer.Document.GAME,
            game=escrow.ref,
            memo=memo,
            actor=actor,
        )
        debts.collect_debts(first)
    last = [*paid, *rake]
    emptying = posting.post(
        key=key,
        kind=Transfer.Kind.PRIZE,
        entries=[(escrow, -sum(minor for _, minor in last)), *last],
        document=Transfer.Document.GAME,
        game=escrow.ref,
        must_be_empty=[escrow],
        memo=memo,
        actor=actor,
    )
    debts.collect_debts(emptying)
    return emptying


class _Found(NamedTuple):
    """What may refuse or repeat a payment, read once the player's accounts are locked."""

    is_taken: bool
    owed_minor: int
    has_limit: bool


def _before_paying(player: User, escrow: Account, key: str) -> _Found:
    row = (
        User.objects.filter(pk=player.pk)
        .values_list(
            Exists(Stake.objects.filter(transfer__key=key)),
            debts.owed(player=player, currency=escrow.currency),
            Exists(limits_on_stakes(player, escrow.currency)),
        )
        .get()
    )
    return _Found(*row)


def _lots_to_spend(player: User, buckets: Sequence[Account]) -> Sequence[BonusGrant]:
    """Lock the player's lots if there is bonus money to spend."""
    bonus = next((bucket for bucket in buckets if bucket.kind == Account.Kind.BONUS), None)
    if bonus is None or not bonus.balance_minor:
        return ()
    return bonuses.lock_spendable(player=player, currency=bonus.currency)


def _lock_stakes(
    stakes: Sequence[Stake], *, key: str, allowed: Sequence[str]
) -> tuple[Account, list[LockedStake]]:
    """Lock the stakes of one game; refuse closed ones unless `key` closed them."""
    pks = [stake.pk for stake in stakes]
    locked = lock_stakes(Stake.objects.filter(pk__in=pks).select_related("escrow", "player"))
    assert locked, "there are stakes"
    assert len({stake.escrow_id for stake in locked}) == 1, "one game has one escrow"
    over = [stake for stake in locked if stake.status not in allowed]
    if over and not Transfer.objects.filter(key=key).exists():
        raise StakeNotLive(f"a stake is {over[0].status}")
    return locked[0].escrow, locked


def _close(stakes: Sequence[LockedStake], status: Stake.Status) -> None:
    pks = [stake.pk for stake in stakes]
    Stake.objects.filter(pk__in=pks).update(status=status, closed_at=DatabaseNow())


def _taken_before(wanted: Stake, key: str) -> Stake | None:
    """Return the stake an earlier call with this key took; raise if it differs."""
    earlier = Stake.objects.filter(transfer__key=key).first()
    facts = ("player_id", "escrow_id", "entry_minor", "rake_minor")
    if earlier and any(getattr(earlier, fact) != getattr(wanted, fact) for fact in facts):
        raise KeyConflict(f"the key {key} belongs to another stake")
    return earlier


def _refuse_shares(
    owed: Mapping[int, int], entries: Mapping[int, int], *, rake_minor: int, paid_in: int
) -> None:
    if sum(owed.values()) + rake_minor != paid_in:
        raise StakesIncomplete(f"shares and rake are not the {paid_in} minor units paid in")
    if any(owed.get(player_pk, 0) < entry for player_pk, entry in entries.items()):
        raise StakesIncomplete("an entry still in play must be refunded in full")


def _refill(
    stakes: Sequence[Stake], owed: Mapping[int, int], currency: str
) -> tuple[list[tuple[StakePart, int]], list[tuple[int, int]]]:
    """Return the refund of each part of the stakes and of each winnings account."""
    refilled, winnings = [], []
    for player in {stake.player_id: stake.player for stake in stakes}.values():
        own = [stake for stake in stakes if stake.player_id == player.pk]
        shares, excess = parts.refills(own, owed.get(player.pk, 0))
        refilled += shares
        if excess:
            mine = accounts.open_player_accounts(player=player, currency=currency)
            winnings.append((mine[Account.Kind.WINNINGS].pk, excess))
    return refilled, winnings


def _shares_minor(shares: Sequence[tuple[User, Money]], currency: str) -> Mapping[int, int]:
    for _, share in shares:
        if share.currency.code != currency:
            raise CurrencyMismatch(f"a share of {share} from an escrow in {currency}")
    return parts.merged((player.pk, minor_units(share)) for player, share in shares)


def _prize_entries(prizes: Sequence[tuple[User, Money]], currency: str) -> Mapping[int, int]:
    amounts = []
    for player, prize in prizes:
        if prize.currency.code != currency:
            raise CurrencyMismatch(f"a prize of {prize} from an escrow in {currency}")
        if prize_minor := minor_units(prize):
            mine = accounts.open_player_accounts(player=player, currency=currency)
            amounts.append((mine[Account.Kind.WINNINGS].pk, prize_minor))
    return parts.merged(amounts)
