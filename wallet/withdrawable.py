"""What a player can withdraw now, and what is held back of it and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone
from moneyed import Money

from players.models import User
from wallet.models import Account, DepositTerm, Entry, PaymentReturn, Transfer
from wallet.money import as_money
from wallet.services.debts import owed_minor

KINDS = (Account.Kind.DEPOSIT, Account.Kind.WINNINGS)


@dataclass(frozen=True)
class Withdrawable:
    """A player's deposit and winnings in one currency, by what may leave now."""

    deposit: Money
    winnings: Money
    # Deposits so new that they stay, and until when the last of them does.
    held: Money
    held_until: datetime | None
    # Owed for payments that were taken back.
    owed: Money
    # A refund or a dispute of a payment is open.
    is_stopped: bool

    @property
    def total(self) -> Money:
        return self.deposit + self.winnings

    @property
    def now(self) -> Money:
        nothing = self.total - self.total
        return nothing if self.is_stopped else max(nothing, self.total - self.held - self.owed)

    @property
    def free_deposit(self) -> Money:
        """What of the deposit bucket may leave; new deposits stay there."""
        return self.deposit - self.held


def term_in_force(now: datetime) -> timedelta:
    """Return how long new deposits stay: as staff set it last, else by the setting."""
    latest = DepositTerm.objects.filter(begins_at__lte=now).first()
    return timedelta(hours=settings.DEPOSIT_TERM_HOURS if latest is None else latest.hours)


def withdrawable(*, player: User, currency: str) -> Withdrawable:
    """Return what could leave now, nothing for a player who never had this currency."""
    found = Account.objects.of_player(player).filter(currency=currency, kind__in=KINDS)
    mine = {account.kind: account for account in found}
    if len(mine) < len(KINDS):
        nothing = as_money(0, currency)
        return Withdrawable(nothing, nothing, nothing, None, nothing, is_stopped=False)
    return withdrawable_of(player=player, currency=currency, accounts=mine)


def withdrawable_of(
    *, player: User, currency: str, accounts: Mapping[str, Account]
) -> Withdrawable:
    """Return what may leave now; hold the accounts' locks to decide by it."""
    deposit, winnings = (accounts[kind] for kind in KINDS)
    held_minor, until = _held(deposit)
    return Withdrawable(
        deposit=deposit.balance,
        winnings=winnings.balance,
        held=as_money(held_minor, currency),
        held_until=until,
        owed=as_money(owed_minor(player=player, currency=currency), currency),
        is_stopped=PaymentReturn.objects.of_player(player).unsettled().exists(),
    )


def _held(deposit: Account) -> tuple[int, datetime | None]:
    """Return what of the bucket came within the term, and when the last of it is free.

    What has been played away since is held no longer: games take deposits first.
    """
    now = timezone.now()
    term = term_in_force(now)
    if not term or not deposit.balance_minor:
        return 0, None
    new = Entry.objects.filter(
        account=deposit,
        amount_minor__gt=0,
        transfer__kind=Transfer.Kind.DEPOSIT,
        transfer__created_at__gt=now - term,
    )
    came = list(new.order_by("-pk").values_list("amount_minor", "transfer__created_at"))
    if not came:
        return 0, None
    return min(deposit.balance_minor, sum(minor for minor, _ in came)), came[0][1] + term
