"""A player's open bonuses: remainder, use and end of each."""

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
from wallet.bonuses.receipts import share_text
from wallet.ledger.money import as_money


@dataclass(frozen=True)
class OpenBonus:
    """A lot as shown to its player."""

    grant: BonusGrant
    in_games: Money
    # The largest share of an entry that bonuses pay, in basis points (RB 11.1).
    entry_share_bps: int
    # None while it is frozen.
    ends_at: datetime | None
    # Whether it has ended and waits only for its stakes in games.
    is_over: bool

    @property
    def is_locked(self) -> bool:
        return self.grant.mode == BonusMode.RELEASE

    @property
    def is_frozen(self) -> bool:
        """Return whether a wind-down suspends its end."""
        return self.ends_at is None

    @property
    def released_minor(self) -> int:
        """Return how much of a locked lot was released, in minor units."""
        return self.grant.amount_minor - self.grant.remaining_minor

    @property
    def released(self) -> Money:
        return as_money(self.released_minor, self.grant.currency)

    @property
    def text(self) -> str:
        if self.is_locked:
            text = _("Locked. %(share)s of each settled entry moves to your winnings.")
            return text % {"share": share_text(self.grant.release_bps)}
        text = _("Pays up to %(share)s of each entry, before your deposit.")
        return text % {"share": share_text(self.entry_share_bps)}


def open_bonuses_of(player: User, *, entry_share_bps: int) -> list[OpenBonus]:
    """Return the player's lots that are usable or in games, those that end soonest first."""
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
