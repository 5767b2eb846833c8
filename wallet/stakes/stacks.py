"""Stacks on open-ended tables: they change from deal to deal and are cashed out (RB 8.1).

A stack is the remainder of a player's live stakes in one game's escrow: their own parts and their
winnings there. The caller holds the game's lock. Lock order: stakes, lots of bonuses, accounts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.db import transaction
from django.db.models import F, Sum
from moneyed import Money

from core.clock import DatabaseNow
from players.accounts.models import User
from wallet.bonuses import bonuses
from wallet.bonuses import expiry as bonus_expiry
from wallet.deposits import debts
from wallet.exceptions import StakesIncomplete
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.ledger.money import as_money, minor_units
from wallet.stakes import parts
from wallet.stakes.locks import LockedStake, lock_stakes
from wallet.stakes.models import StackChange, Stake, StakePart
from wallet.stakes.rake import rake_entries


def stacks_in(escrow: Account | int) -> dict[int, int]:
    """Return the stacks in a game's escrow in minor units, by the player's primary key."""
    live = StakePart.objects.filter(stake__in=Stake.objects.live().filter(escrow=escrow))
    left = Sum(F("amount_minor") - F("consumed_minor") - F("returned_minor"))
    return dict(live.values_list("stake__player").annotate(left=left))


@transaction.atomic
def pass_stacks(
    *,
    escrow: Account,
    losses: Mapping[int, Money],
    winner: User,
    rake: Money,
    key: str,
    deal: int | None = None,
    actor: str = "",
    memo: str = "",
) -> None:
    """Move a deal's losses to its winner, less the rake, once per key.

    `losses` maps players to minor units. A loser's own parts are used first, in the order they were
    paid, winnings last; the winner's gain becomes a part of its own. The rake is posted at once;
    without rake there is no transfer (RB 8.1).
    """
    locked = lock_stakes(Stake.objects.live().filter(escrow=escrow).select_related("player"))
    if StackChange.objects.filter(key=key).exists():
        return
    first = {stake.player_id: stake for stake in reversed(locked)}
    lost = {player: minor_units(loss) for player, loss in losses.items() if minor_units(loss)}
    gain_minor = sum(lost.values()) - minor_units(rake)
    if winner.pk in lost or winner.pk not in first or gain_minor < 0:
        raise StakesIncomplete("a deal has one winner with a stack, who loses nothing")
    if not lost:
        return

    if rake_minor := minor_units(rake):
        posting.post(
            key=key,
            kind=Transfer.Kind.RAKE,
            entries=[(escrow, -rake_minor), *rake_entries(escrow, rake_minor)],
            document=Transfer.Document.DEAL,
            game=escrow.ref,
            deal=deal,
            memo=memo,
            actor=actor,
        )
    for player, loss_minor in lost.items():
        own = [stake for stake in locked if stake.player_id == player]
        _consume(own, loss_minor)
        StackChange.objects.create(stake=own[0], key=key, amount_minor=-loss_minor)
    if gain_minor:
        _win(first[winner.pk], winner, gain_minor, escrow.currency)
        StackChange.objects.create(stake=first[winner.pk], key=key, amount_minor=gain_minor)
    _settle_spent(locked)


@transaction.atomic
def cash_out(
    *,
    escrow: Account,
    player: User,
    key: str,
    closes_game: bool,
    actor: str = "",
    memo: str = "",
) -> Transfer | None:
    """Pay out a player's stack in one transfer; return None if nothing is left of it.

    Own parts return to the buckets and lots they came from, winnings go to the winnings bucket.
    The same key again returns the first transfer. The last cash-out closes the escrow.
    """
    locked = lock_stakes(Stake.objects.live().filter(escrow=escrow, player=player))
    if earlier := Transfer.objects.filter(key=key).first():
        earlier.is_replay = True
        return earlier
    live = [part for part in _in_spending_order(locked) if part.live_minor]
    if not live:
        return None

    back = parts.merged((part.account_id, part.live_minor) for part in live)
    ended = bonus_expiry.lock_ended(
        bonuses.lock_spent(locked), [escrow.pk, *back], currency=escrow.currency
    )
    transfer = posting.post(
        key=key,
        kind=Transfer.Kind.CASH_OUT,
        entries=[(escrow, -sum(back.values())), *back.items()],
        document=Transfer.Document.STACK,
        game=escrow.ref,
        must_be_empty=[escrow] if closes_game else [],
        memo=memo,
        actor=actor,
    )
    returned = [(part, part.live_minor) for part in live]
    for part, minor in returned:
        part.returned_minor += minor
    StakePart.objects.bulk_update([part for part, _ in returned], ["returned_minor"])
    bonus_expiry.return_to_lots(transfer, parts.of_lots(returned), ended)
    _close(locked)
    debts.collect_debts(transfer)
    return transfer


def stack_of(escrow: Account, player: User) -> Money:
    """Return a player's stack in a game's escrow."""
    return as_money(stacks_in(escrow).get(player.pk, 0), escrow.currency)


def _in_spending_order(stakes: Iterable[Stake]) -> list[StakePart]:
    """Return the stakes' own parts, then winnings, each the oldest first."""
    rows = StakePart.objects.filter(stake__in=list(stakes))
    return list(rows.order_by("is_won", "stake", "position"))


def _consume(stakes: Sequence[LockedStake], loss_minor: int) -> None:
    touched = []
    for part in _in_spending_order(stakes):
        minor = min(part.live_minor, loss_minor)
        if minor:
            part.consumed_minor += minor
            loss_minor -= minor
            touched.append(part)
    if loss_minor:
        raise StakesIncomplete(f"{loss_minor} minor units are missing in a loser's stack")
    StakePart.objects.bulk_update(touched, ["consumed_minor"])


def _win(stake: LockedStake, winner: User, gain_minor: int, currency: str) -> None:
    mine = accounts.open_player_accounts(player=winner, currency=currency)
    StakePart.objects.create(
        stake=stake,
        account=mine[Account.Kind.WINNINGS],
        is_won=True,
        position=stake.parts.count() + 1,
        amount_minor=gain_minor,
    )


def _settle_spent(stakes: Sequence[LockedStake]) -> None:
    """Close stakes with nothing left."""
    left = StakePart.objects.filter(stake__in=stakes).exclude(
        amount_minor=F("consumed_minor") + F("returned_minor")
    )
    held = set(left.values_list("stake", flat=True))
    _close([stake for stake in stakes if stake.pk not in held])


def _close(stakes: Sequence[LockedStake]) -> None:
    """Close stakes: as refunded if all was returned, as settled if deals took some of it."""
    pks = [stake.pk for stake in stakes]
    over = Stake.objects.filter(pk__in=pks)
    touched = StakePart.objects.filter(stake__in=pks, consumed_minor__gt=0).values("stake")
    now = DatabaseNow()
    over.filter(pk__in=touched).update(status=Stake.Status.SETTLED, closed_at=now)
    over.exclude(pk__in=touched).update(status=Stake.Status.REFUNDED, closed_at=now)
