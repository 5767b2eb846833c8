"""Release of locked bonuses: a share of each settled entry becomes winnings (RB 11.1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from core.clock import database_now
from wallet.bonuses import bonuses
from wallet.bonuses.bonuses import has_ended
from wallet.bonuses.models import BonusGrant, BonusMode
from wallet.deposits import debts
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.ledger.money import BASIS_POINTS
from wallet.stakes.models import Stake

Lots = Mapping[int, Sequence[BonusGrant]]


def lock_releasable(
    stakes: Iterable[Stake], accounts_moved: Iterable[Account | int], *, currency: str
) -> Lots:
    """Lock the lots that these stakes may release, by player, those that end soonest first.

    The releases follow the game's posting in the same transaction, so the accounts of both are
    locked
    here, in order. Frozen accounts release nothing.
    """
    found = BonusGrant.objects.left().filter(
        mode=BonusMode.RELEASE,
        account__currency=currency,
        account__player__in={stake.player_id for stake in stakes},
    )
    held = list(found.select_related("account__player").locked())
    now = database_now() if held else None
    lots = [lot for lot in held if now and not has_ended(lot, now)]
    if not lots:
        return {}
    winnings = [_winnings_of(lot) for lot in lots]
    locked = posting.lock([*accounts_moved, *(lot.account_id for lot in lots), *winnings])
    by_player: dict[int, list[BonusGrant]] = defaultdict(list)
    for lot in sorted(lots, key=lambda lot: (lot.expires_at, lot.pk)):
        if locked[lot.account_id].status == Account.Status.OPEN:
            assert lot.account.player_id, "a locked bonus account has a player"
            by_player[lot.account.player_id].append(lot)
    return by_player


def release(stakes: Iterable[Stake], lots: Lots) -> None:
    """Move the released shares of these settled stakes to winnings, once per stake."""
    for stake in sorted(stakes, key=lambda stake: stake.pk):
        own = [lot for lot in lots.get(stake.player_id, ()) if lot.remaining_minor]
        if released := shares(own, stake.entry_minor):
            _post(stake, own, released)


def shares(lots: Sequence[BonusGrant], entry_minor: int) -> dict[int, int]:
    """Return what a settled entry releases from each lot, in minor units, in the order given.

    A lot is released only after those before it are used up; the part of the entry they needed does
    not count for it.
    """
    released = {}
    for lot in lots:
        assert lot.release_bps, "only locked bonuses are released"
        share = min(lot.remaining_minor, entry_minor * lot.release_bps // BASIS_POINTS)
        if share:
            released[lot.pk] = share
        if share < lot.remaining_minor:
            break
        # Rounded up, so that two lots never release more than one lot would.
        entry_minor -= -(-share * BASIS_POINTS // lot.release_bps)
    return released


def _post(stake: Stake, lots: Sequence[BonusGrant], released: Mapping[int, int]) -> None:
    total = sum(released.values())
    transfer = posting.post(
        key=f"release:{stake.pk}",
        kind=Transfer.Kind.RELEASE,
        # All locked lots of a player in a currency are in one account.
        entries=[(lots[0].account_id, -total), (_winnings_of(lots[0]), total)],
        document=Transfer.Document.STAKE,
        document_id=stake.pk,
        game=stake.escrow.ref,
        memo=", ".join(lot.reason for lot in lots if lot.pk in released)[:200],
        actor="settlement",
    )
    bonuses.move(transfer, {pk: -minor for pk, minor in released.items()})
    debts.collect_debts(transfer)
    for lot in lots:
        lot.remaining_minor -= released.get(lot.pk, 0)


def _winnings_of(lot: BonusGrant) -> Account:
    player = lot.account.player
    assert player is not None, "a locked bonus account has a player"
    return accounts.open_player_accounts(player=player, currency=lot.currency)[
        Account.Kind.WINNINGS
    ]
