"""A player's open bonuses: what is left of each, how it is used and when it ends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _
from moneyed import Money

from core.clock import DatabaseNow
from players.accounts.models import User
from wallet.bonuses.freezes import end_of
from wallet.bonuses.models import BonusGrant, BonusMode
from wallet.bonuses.receipts import percent
from wallet.ledger.money import as_money


@dataclass(frozen=True)
class OpenBonus:
    """One lot as shown to its player."""

    grant: BonusGrant
    in_games: Money
    # The most of an entry that bonuses pay, in basis points (RB 11.1).
    entry_share_bps: int
    # None while it is frozen.
    ends_at: datetime | None
    # Whether it has ended and only stakes in games are still to be settled.
    is_over: bool

    @property
    def is_locked(self) -> bool:
        return self.grant.mode == BonusMode.RELEASE

    @property
    def is_frozen(self) -> bool:
        """Return whether a wind-down holds its end off."""
        return self.ends_at is None

    @property
    def released_minor(self) -> int:
        """Return how much of a locked lot has become winnings."""
        return self.grant.amount_minor - self.grant.remaining_minor

    @property
    def released(self) -> Money:
        return as_money(self.released_minor, self.grant.currency)

    @property
    def words(self) -> str:
        if self.is_locked:
            words = _("Locked. %(share)s of each settled entry move from it to your winnings.")
            return words % {"share": percent(self.grant.release_bps)}
        words = _("Pays up to %(share)s of each entry, before your deposit does.")
        return words % {"share": percent(self.entry_share_bps)}


def open_bonuses_of(player: User, *, entry_share_bps: int) -> list[OpenBonus]:
    """Return the player's lots that are usable or in games, the soonest to end first."""
    lots = BonusGrant.objects.of_player(player).with_in_games()
    left = lots.filter(Q(remaining_minor__gt=0) | Q(in_games_minor__gt=0))
    rows: Any = left.annotate(read_at=DatabaseNow()).select_related("account__player", "transfer")
    shown = [
        OpenBonus(
            grant=lot,
            in_games=as_money(int(lot.in_games_minor), lot.currency),
            entry_share_bps=entry_share_bps,
            ends_at=(ends_at := end_of(lot)),
            is_over=ends_at is not None and ends_at <= lot.read_at,
        )
        for lot in rows.soonest_ending()
    ]
    return [bonus for bonus in shown if bonus.in_games or not bonus.is_over]
