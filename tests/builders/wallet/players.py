"""Players with money, and games; the money is posted through the ledger's functions."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import count
from typing import Any

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import F, QuerySet, Sum
from django.utils import timezone
from moneyed import Money

from core import audit_log
from core.models import AuditEntry
from players.accounts import consent
from players.accounts.models import User
from players.accounts.verified_email import has_verified_email
from tests.builders.people.regions import region_open
from wallet.audit import freezes
from wallet.bonuses import bonuses
from wallet.bonuses.models import BonusGrant, BonusMode
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.ledger.money import as_money
from wallet.stakes import stakes
from wallet.stakes.models import Stake

_numbers = count(1)
OF_AGE = {"birth_date": date(1990, 1, 1)}


def make_player(**overrides) -> User:
    number = next(_numbers)
    fields = {"handle": f"player{number}", "email": f"player{number}@example.com"}
    player = create_user(**fields | OF_AGE | overrides)
    if player.country:
        verify_email(player)
    return player


def create_user(**fields) -> User:
    """Create a user who agrees to what is kept; rights come with an entry in the staff's log."""
    fields = {"consent_version": consent.VERSION} | fields
    with transaction.atomic():
        player = User.objects.create_user(**fields)
        if player.is_staff or player.is_superuser:
            audit_log.record(by=player, act="add", row=player, about=player)
    return player


def acts() -> QuerySet[AuditEntry]:
    """Return the audit log without the entries of rights given by `create_user`."""
    return AuditEntry.objects.exclude(act="add", kind="players.user", by=F("about"))


def verify_email(player: User) -> None:
    """Verify the player's e-mail address, as cash play requires."""
    EmailAddress.objects.create(user=player, email=player.email, verified=True, primary=True)


def admit_to_cash(player: User) -> User:
    """Let a player made without a country live where cash is played for."""
    player.country, player.region = "IN", "KA"
    player.birth_date = player.birth_date or OF_AGE["birth_date"]
    player.save(update_fields=["country", "region", "birth_date"])
    if not has_verified_email(player):
        verify_email(player)
    return player


def fund(player: User, *, currency: str = "INR", **minor: int) -> dict[str, Account]:
    """Put money into buckets: `fund(asha, deposit=100_00, winnings=5_00)`."""
    mine = accounts.open_player_accounts(player=player, currency=currency)
    source = accounts.operator_account(kind=Account.Kind.GATEWAY_CLEARING, currency=currency)
    for kind, amount in minor.items():
        if kind == "bonus":
            give_bonus(player, as_money(amount, currency))
            continue
        posting.post(
            key=f"fund:{next(_numbers)}",
            kind=Transfer.Kind.DEPOSIT,
            entries=[(source, -amount), (mine[kind], amount)],
        )
    return accounts.open_player_accounts(player=player, currency=currency)


def give_bonus(player: User, amount: Money, **overrides: Any) -> BonusGrant:
    """Give a player who may play for cash a lot, to be spent within a month."""
    terms = {
        "mode": BonusMode.SPEND,
        "expires_at": timezone.now() + timedelta(days=30),
        "key": f"given:{next(_numbers)}",
        "reason": "Welcome",
    }
    admit_to_cash(player)
    with region_open("IN-KA"):
        return bonuses.grant_bonus(player=player, amount=amount, **terms | overrides)


def make_escrow(*, currency: str = "INR") -> Account:
    return accounts.open_escrow(ref=f"table:{next(_numbers)}", currency=currency)


def make_stake(
    *,
    escrow: Account | None = None,
    player: User | None = None,
    entry: Money | None = None,
    rake_bps: int = 1_000,
) -> Stake:
    """Seat a player who has exactly the entry."""
    entry = entry or Money(100, "INR")
    escrow = escrow or make_escrow(currency=entry.currency.code)
    player = player or make_player()
    fund(player, currency=entry.currency.code, deposit=int(entry.amount * 100))
    return stakes.take_stake(
        player=player, escrow=escrow, entry=entry, rake_bps=rake_bps, key=f"buyin:{next(_numbers)}"
    )


def freeze(account: Account) -> None:
    staff = make_player(is_staff=True)
    freezes.freeze_account(account=account, reason="Claimed by a stranger", by=staff)


def thaw(account: Account) -> None:
    staff = make_player(is_staff=True)
    freezes.thaw_account(account=account, reason="Cleared up", by=staff)


def suspense() -> Account:
    return accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")


def promotions() -> Account:
    return accounts.operator_account(kind=Account.Kind.PROMOTIONS, currency="INR")


def balances(*owners: Account) -> list[int]:
    """Return the balances as they are in the database now, in minor units."""
    now = Account.objects.in_bulk([account.pk for account in owners])
    return [now[account.pk].balance_minor for account in owners]


def books() -> tuple[int, int, int]:
    """Return how many transfers, entries and stakes there are: what a refusal must not change."""
    from wallet.ledger.models import Entry

    return Transfer.objects.count(), Entry.objects.count(), Stake.objects.count()


def points_of(player: User) -> int:
    return Account.objects.buckets_of(player).aggregate(sum=Sum("balance_minor"))["sum"]
