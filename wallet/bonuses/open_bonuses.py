"""A player's open bonuses: what is left of each, how it is used and when it ends."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from moneyed import Money

from players.accounts.models import User
from wallet.bonuses.receipts import percent
from wallet.holdings.bonus_models import BonusGrant, BonusMode
from wallet.ledger.money import as_money


@dataclass(frozen=True)
class OpenBonus:
    """One lot as shown to its player."""

    grant: BonusGrant
    in_games: Money
    # The most of an entry that bonuses pay, in basis points (RB 11.1).
    entry_share_bps: int

    @property
    def is_locked(self) -> bool:
        return self.grant.mode == BonusMode.RELEASE

    @property
    def is_over(self) -> bool:
        """Return whether it has ended and only stakes in games are still to be settled."""
        return self.grant.expires_at <= timezone.now()

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
    is_live = Q(remaining_minor__gt=0, expires_at__gt=timezone.now())
    shown = lots.filter(is_live | Q(in_games_minor__gt=0)).select_related("account", "transfer")
    return [
        OpenBonus(
            grant=lot,
            in_games=as_money(int(lot.in_games_minor), lot.currency),
            entry_share_bps=entry_share_bps,
        )
        for lot in shown.soonest_ending()
    ]
