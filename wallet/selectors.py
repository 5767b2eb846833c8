"""What a player's wallet shows: balances by bucket, money in games, and the statement."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet, Sum
from django.utils.translation import gettext as _
from moneyed import Money

from players.models import User
from wallet.models import Account, Entry, Stake, StakePart, Transfer
from wallet.money import as_money


@dataclass(frozen=True)
class Balances:
    """One currency of a player's: what is where."""

    currency: str
    bonus: Money
    deposit: Money
    winnings: Money
    withdrawal_hold: Money
    in_games: Money

    @property
    def spendable(self) -> Money:
        """All three buckets; an entry may take only a part of the bonus (RB 11.1)."""
        return self.bonus + self.deposit + self.winnings


@dataclass(frozen=True)
class StatementRow:
    """One line of a statement: what happened to one bucket, and what it held afterwards."""

    entry: Entry

    @property
    def words(self) -> str:
        transfer = self.entry.transfer
        what = _WORDS[Transfer.Kind(transfer.kind)]()
        return f"{what}: {transfer.memo}" if transfer.memo else what

    @property
    def bucket(self) -> str:
        return self.entry.account.get_kind_display()

    @property
    def is_credit(self) -> bool:
        return self.entry.amount_minor > 0


_WORDS = {
    Transfer.Kind.GRANT: lambda: _("Play points granted"),
    Transfer.Kind.BUY_IN: lambda: _("Entry paid"),
    Transfer.Kind.PRIZE: lambda: _("Prize"),
    Transfer.Kind.REFUND: lambda: _("Entry returned"),
    Transfer.Kind.DEPOSIT: lambda: _("Deposit"),
    Transfer.Kind.WITHDRAWAL: lambda: _("Withdrawal"),
    Transfer.Kind.ADJUSTMENT: lambda: _("Adjustment"),
    Transfer.Kind.REVERSAL: lambda: _("Reversal"),
}


def wallet_of(player: User) -> list[Balances]:
    """Return the player's balances, one for each currency he has ever held."""
    minor: dict[str, dict[str, int]] = {}
    for account in Account.objects.of_player(player).order_by("currency"):
        minor.setdefault(account.currency, {})[account.kind] = account.balance_minor
    held = money_in_games(player)
    return [
        Balances(
            currency=currency,
            in_games=held.get(currency, as_money(0, currency)),
            **{kind: as_money(amount, currency) for kind, amount in kinds.items()},
        )
        for currency, kinds in minor.items()
    ]


def money_in_games(player: User) -> dict[str, Money]:
    """Return what the player has in games that are not over, by currency."""
    live = StakePart.objects.filter(stake__in=Stake.objects.of_player(player).live())
    sums = live.values_list("account__currency").annotate(
        held=Sum("amount_minor") - Sum("consumed_minor") - Sum("returned_minor")
    )
    return {currency: as_money(int(held), currency) for currency, held in sums}


def statement(player: User) -> QuerySet[Entry]:
    """Return the player's entries, latest first; `StatementRow` gives each its words."""
    mine = Account.objects.of_player(player).values_list("pk", flat=True)
    # The keys as values and not as a subquery: then one index walk per account serves the page.
    return (
        Entry.objects.filter(account__in=list(mine))
        .select_related("transfer", "account")
        .latest_first()
    )
