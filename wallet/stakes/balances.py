"""A player's balances by bucket, their money in games, and the trial balance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypedDict, cast
from uuid import UUID

from django.db.models import Count, Sum
from moneyed import Money

from core.db.statements import compiled_by_key
from players.accounts.models import User
from wallet.ledger.models import PLAYER_KINDS, Account, Bucket
from wallet.ledger.money import as_money
from wallet.stakes.models import Stake, StakePart

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


@dataclass(frozen=True)
class Balances:
    """A player's balances in one currency."""

    currency: str
    bonus: Money
    deposit: Money
    winnings: Money
    withdrawal_hold: Money
    locked_bonus: Money
    in_games: Money
    # Debt for reversed payments; deposits pay it first.
    owed: Money

    @property
    def spendable(self) -> Money:
        """The sum of the three buckets; an entry may take only a part of the bonus (RB 11.1)."""
        return self.bonus + self.deposit + self.winnings


def wallet_of(player: User) -> list[Balances]:
    """Return the player's balances in each currency they have accounts in."""
    minor: dict[str, dict[str, int]] = {}
    # Tickets are not balances: each has its own account (`wallet.statements.tickets`).
    mine = Account.objects.of_player(player).filter(kind__in=PLAYER_KINDS)
    for account in mine.order_by("currency"):
        kinds = minor.setdefault(account.currency, dict.fromkeys(PLAYER_KINDS, 0))
        kinds[account.kind] = account.balance_minor
    held = money_in_games(player)
    debts = Account.objects.of_player(player).filter(kind=Account.Kind.RECEIVABLE)
    owed = {debt.currency: -debt.balance for debt in debts}
    return [
        Balances(
            currency=currency,
            in_games=held.get(currency, as_money(0, currency)),
            owed=owed.get(currency, as_money(0, currency)),
            **{kind: as_money(amount, currency) for kind, amount in kinds.items()},
        )
        for currency, kinds in minor.items()
    ]


def spendable_of(player: User) -> list[Money]:
    """Return what the player can pay with in each currency, as `Balances.spendable`."""
    return [as_money(int(minor), currency) for currency, minor in _SPENDABLE.rows(player.pk)]


_SPENDABLE: Final = compiled_by_key(
    lambda player: (
        Account.objects.filter(player=player, kind__in=Bucket.values)
        .order_by("currency")
        .values_list("currency")
        .annotate(Sum("balance_minor"))
    )
)


def money_in_games(player: User) -> dict[str, Money]:
    """Return the player's money in unfinished games, by currency."""
    live = StakePart.objects.filter(stake__in=Stake.objects.of_player(player).live())
    sums = live.values_list("account__currency").annotate(
        held=Sum("amount_minor") - Sum("consumed_minor") - Sum("returned_minor")
    )
    return {currency: as_money(int(held), currency) for currency, held in sums}


class _Held(TypedDict):
    held_minor: int | None


@dataclass(frozen=True)
class HeldInGame:
    """A player's money in one unfinished game."""

    # The game's `ref`, and the time of the latest payment into it.
    game: str
    paid_by: UUID
    held: Money


def games_of(player: User) -> list[HeldInGame]:
    """Return the player's money in games, one row per game; their sum is `in_games`."""
    left = Sum("parts__amount_minor") - Sum("parts__consumed_minor") - Sum("parts__returned_minor")
    live = Stake.objects.of_player(player).live().select_related("escrow", "transfer")
    games: dict[int, HeldInGame] = {}
    stakes = live.order_by("pk").annotate(held_minor=left)
    for stake in cast("Iterable[WithAnnotations[Stake, _Held]]", stakes):
        before = games.get(stake.escrow_id)
        held = as_money(int(stake.held_minor or 0), stake.currency)
        games[stake.escrow_id] = HeldInGame(
            game=stake.transfer.memo,
            paid_by=stake.transfer.public_id,
            held=before.held + held if before else held,
        )
    return list(games.values())


@dataclass(frozen=True)
class TrialRow:
    """The total of all accounts of one kind in one currency."""

    currency: str
    kind: str
    accounts: int
    balance: Money


def trial_balance() -> list[TrialRow]:
    """Return the totals of the ledger by currency and kind; each currency sums to zero."""
    sums = Account.objects.values_list("currency", "kind").order_by("currency", "kind")
    return [
        TrialRow(currency, str(Account.Kind(kind).label), number, as_money(int(total), currency))
        for currency, kind, number, total in sums.annotate(
            number=Count("pk"), total=Sum("balance_minor")
        )
    ]
