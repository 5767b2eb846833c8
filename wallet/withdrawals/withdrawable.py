"""The amount a player can withdraw now, and the reasons why the rest is held."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from moneyed import Money

from core.clock import DatabaseNow
from players.accounts.models import User
from wallet.deposits.debts import owed_minor, refuse_debt
from wallet.deposits.payment_models import DepositTerm, PaymentReturn
from wallet.exceptions import DepositHeld, InsufficientFunds, PaymentDisputed
from wallet.ledger.models import Account, Entry, Transfer
from wallet.ledger.money import as_money, as_text, minor_units

KINDS = (Account.Kind.DEPOSIT, Account.Kind.WINNINGS)


@dataclass(frozen=True)
class Withdrawable:
    """A player's deposits and winnings in one currency, and how much of them is held."""

    deposit: Money
    winnings: Money
    # New deposits that cannot be withdrawn yet, and when the last of them is released.
    held: Money
    held_until: datetime | None
    # The debt for reversed payments.
    owed: Money
    # Whether a refund or dispute of a payment is open.
    is_stopped: bool

    @property
    def total(self) -> Money:
        return self.deposit + self.winnings

    @property
    def now(self) -> Money:
        nothing = self.total - self.total
        return nothing if self.is_stopped or self.owed else self.total - self.held

    @property
    def free_deposit(self) -> Money:
        """The part of the deposits that is not held."""
        return self.deposit - self.held


def _terms() -> list[tuple[datetime, timedelta]]:
    """Return when each holding period of deposits came into force, and its length."""
    begun = sorted(
        (term.in_force_from, term.pk, term.hours)
        for term in DepositTerm.objects.approved()
        if term.in_force_from is not None
    )
    by_setting = timedelta(hours=settings.DEPOSIT_TERM_HOURS)
    since_ever = datetime.min.replace(tzinfo=UTC)
    return [
        (since_ever, by_setting),
        *((begins_at, timedelta(hours=hours)) for begins_at, _, hours in begun),
    ]


def withdrawable(*, player: User, currency: str) -> Withdrawable:
    """Return what the player can withdraw now; zero in a currency they never had."""
    found = Account.objects.of_player(player).filter(currency=currency, kind__in=KINDS)
    mine = {account.kind: account for account in found}
    if len(mine) < len(KINDS):
        nothing = as_money(0, currency)
        return Withdrawable(nothing, nothing, nothing, None, nothing, is_stopped=False)
    return withdrawable_of(player=player, currency=currency, accounts=mine)


def withdrawable_of(
    *, player: User, currency: str, accounts: Mapping[str, Account]
) -> Withdrawable:
    """Return what can be withdrawn from these accounts; lock them to rely on it."""
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
    """Return how much of the deposits is still held, and when the last of it is released.

    The period in force at a deposit applies to it; a shorter one set later does not. Money staked
    since then is not held, because games take deposits first.
    """
    terms = _terms()
    longest = max(term for _, term in terms)
    if not longest or not deposit.balance_minor:
        return 0, None
    new = Entry.objects.filter(
        account=deposit,
        amount_minor__gt=0,
        transfer__kind=Transfer.Kind.DEPOSIT,
        transfer__created_at__gt=DatabaseNow() - longest,
    )
    rows = new.annotate(read_at=DatabaseNow())
    held, until = 0, None
    for minor, came_at, now in rows.values_list("amount_minor", "transfer__created_at", "read_at"):
        *_, (_, term) = (each for each in terms if each[0] <= came_at)
        free_at = came_at + term
        if free_at > now:
            held, until = held + minor, max(until or free_at, free_at)
    return min(deposit.balance_minor, held), until


def shares(there: Withdrawable, amount: Money) -> tuple[int, int]:
    """Return the amounts that deposits and winnings pay of a withdrawal, in minor units.

    Raise `InsufficientFunds`, `PaymentDisputed`, `DebtOutstanding` or `DepositHeld` if the amount
    cannot be withdrawn now.
    """
    if amount > there.total:
        raise InsufficientFunds(
            _("The amount exceeds your deposit and winnings. Bonus cannot be withdrawn.")
        )
    if there.is_stopped:
        raise PaymentDisputed(
            _(
                "A payment of yours is disputed or being refunded. You can withdraw once that "
                "is decided."
            )
        )
    refuse_debt(there.owed)
    if amount > there.now:
        raise DepositHeld(
            _("%(held)s of your deposits are new and can be withdrawn after %(time)s.")
            % {
                "held": as_text(there.held),
                "time": date_format(timezone.localtime(there.held_until), "j M Y, H:i"),
            }
        )
    from_deposit = min(amount, there.free_deposit)
    return minor_units(from_deposit), minor_units(amount - from_deposit)
