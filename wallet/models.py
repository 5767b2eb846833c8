"""The ledger's tables, for reading; only the database functions behind `wallet.ledger` write them.

Amounts are integers in the currency's minor unit (`*_minor`). What the house owes a player is
positive on the player's account; every transfer sums to zero per currency.
"""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from moneyed import Money

from players.identifiers import new_public_id
from wallet.money import as_money


class Bucket(models.TextChoices):
    """A player's own money by where it came from, in spending order (RB 11.1)."""

    BONUS = "bonus", "Bonus"
    DEPOSIT = "deposit", "Deposit"
    WINNINGS = "winnings", "Winnings"


class AccountQuerySet(models.QuerySet["Account"]):
    def buckets_of(self, player: models.Model) -> Self:
        return self.filter(player=player, kind__in=Bucket.values)

    def escrows(self) -> Self:
        return self.filter(kind=Account.Kind.ESCROW)


class Account(models.Model):
    class Kind(models.TextChoices):
        BONUS = "bonus", "Bonus"
        DEPOSIT = "deposit", "Deposit"
        WINNINGS = "winnings", "Winnings"
        WITHDRAWAL_HOLD = "withdrawal_hold", "Withdrawal hold"
        ESCROW = "escrow", "Escrow of a game"
        RAKE = "rake", "House rake"
        PROMOTIONS = "promotions", "Promotions"
        GUARANTEE = "guarantee", "Guarantees"
        GATEWAY_CLEARING = "gateway_clearing", "Gateway clearing"
        TDS_PAYABLE = "tds_payable", "TDS payable"
        GST_PAYABLE = "gst_payable", "GST payable"
        SUSPENSE = "suspense", "Suspense"

    class Status(models.TextChoices):
        OPEN = "open", "Open"
        FROZEN = "frozen", "Frozen"
        CLOSED = "closed", "Closed"

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    kind = models.CharField(max_length=20, choices=Kind)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="accounts",
    )
    # Opaque to the wallet: which game an escrow belongs to ("table:<uuid>"), or "" for the house.
    ref = models.CharField(max_length=80, default="", blank=True)
    shard = models.SmallIntegerField(default=0)
    currency = models.CharField(max_length=3)
    balance_minor = models.BigIntegerField(default=0)
    # The balance may never go below this; null means no floor (house accounts).
    floor_minor = models.BigIntegerField(null=True, blank=True)
    # Counts this account's entries without a gap.
    version = models.BigIntegerField(default=0)
    status = models.CharField(max_length=8, choices=Status, default=Status.OPEN)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = AccountQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["kind", "player", "ref", "currency", "shard"],
                nulls_distinct=False,
                name="wallet_account_one_of_each",
            ),
            models.UniqueConstraint(
                fields=["id", "currency"], name="wallet_account_currency_for_entries"
            ),
            models.CheckConstraint(
                condition=models.Q(floor_minor__isnull=True)
                | models.Q(balance_minor__gte=models.F("floor_minor")),
                name="wallet_account_balance_above_floor",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=["open", "frozen"]) | models.Q(balance_minor=0),
                name="wallet_account_closed_is_empty",
            ),
        ]

    def __str__(self) -> str:
        owner = self.player_id and f"player {self.player_id}" or self.ref or "house"
        return f"{self.kind} {self.currency} of {owner}"

    @property
    def balance(self) -> Money:
        return as_money(self.balance_minor, self.currency)


class Transfer(models.Model):
    """An immutable movement of money: two or more entries that sum to zero per currency."""

    class Kind(models.TextChoices):
        GRANT = "grant", "Grant"
        BUY_IN = "buy_in", "Buy-in"
        PRIZE = "prize", "Prize"
        REFUND = "refund", "Refund"
        DEPOSIT = "deposit", "Deposit"
        WITHDRAWAL = "withdrawal", "Withdrawal"
        ADJUSTMENT = "adjustment", "Adjustment"
        REVERSAL = "reversal", "Reversal"

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    # Derived from facts that never change: `buyin:{seat}:{n}`, `finish:{table}` (ARCHITECTURE 4).
    key = models.CharField(max_length=160, unique=True)
    fingerprint = models.BinaryField(max_length=32, editable=False)
    kind = models.CharField(max_length=16, choices=Kind)
    entry_count = models.SmallIntegerField()
    reverses = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="reversed_by"
    )
    memo = models.CharField(max_length=200, default="", blank=True)
    actor = models.CharField(max_length=80, default="", blank=True)
    # The database transaction that made it; entries may only be added within it.
    xid = models.BigIntegerField(editable=False)
    # The house's calendar day (Asia/Kolkata) this transfer counts in.
    booked_on = models.DateField()
    effective_at = models.DateTimeField()
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["-id"]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class Entry(models.Model):
    transfer = models.ForeignKey(Transfer, on_delete=models.PROTECT, related_name="entries")
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="entries")
    currency = models.CharField(max_length=3)
    amount_minor = models.BigIntegerField()
    balance_after_minor = models.BigIntegerField()
    account_version = models.BigIntegerField()

    class Meta:
        verbose_name_plural = "entries"
        ordering: ClassVar[list[str]] = ["id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["account", "account_version"], name="wallet_entry_versions_without_gap"
            ),
            models.CheckConstraint(
                condition=~models.Q(amount_minor=0), name="wallet_entry_moves_something"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount_minor} {self.currency} on account {self.account_id}"

    @property
    def amount(self) -> Money:
        return as_money(self.amount_minor, self.currency)

    @property
    def balance_after(self) -> Money:
        return as_money(self.balance_after_minor, self.currency)


class BookedDay(models.Model):
    """The house's days; a transfer takes a shared lock on the open one, so that a close is exact."""

    day = models.DateField(primary_key=True)
    opened_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                models.Value(1),
                condition=models.Q(closed_at__isnull=True),
                name="wallet_bookedday_one_open",
            ),
        ]

    def __str__(self) -> str:
        return self.day.isoformat()


class StakeQuerySet(models.QuerySet["Stake"]):
    def live(self) -> Self:
        return self.filter(status=Stake.Status.LIVE)

    def locked(self) -> Self:
        return self.select_for_update(no_key=True).order_by("pk")


class Stake(models.Model):
    """One payment of a player into a game's escrow, and what became of it."""

    class Status(models.TextChoices):
        LIVE = "live", "In play"
        LOST = "lost", "Lost, still in the pot"
        SETTLED = "settled", "Settled"
        REFUNDED = "refunded", "Refunded"

    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="stakes"
    )
    escrow = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="stakes")
    transfer = models.OneToOneField(Transfer, on_delete=models.PROTECT, related_name="stake")
    entry_minor = models.BigIntegerField()
    # r = e * bps // 10000, stored once at buy-in; revenue only when the game settles (RB 7.5).
    rake_minor = models.BigIntegerField()
    status = models.CharField(max_length=8, choices=Status, default=Status.LIVE)
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = StakeQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(rake_minor__gte=0, entry_minor__gte=models.F("rake_minor")),
                name="wallet_stake_rake_within_entry",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry_minor} {self.escrow.currency} of player {self.player_id}"

    @property
    def net_minor(self) -> int:
        return self.entry_minor - self.rake_minor


class StakePart(models.Model):
    """The share of a stake that came from one bucket; refunds go back by these very parts."""

    stake = models.ForeignKey(Stake, on_delete=models.PROTECT, related_name="parts")
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    # Spending order within the stake: bonus, deposit, winnings.
    position = models.SmallIntegerField()
    amount_minor = models.BigIntegerField()
    consumed_minor = models.BigIntegerField(default=0)
    returned_minor = models.BigIntegerField(default=0)

    class Meta:
        ordering: ClassVar[list[str]] = ["stake", "position"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["stake", "position"], name="wallet_stakepart_in_order"),
            models.CheckConstraint(
                condition=models.Q(
                    amount_minor__gt=0, consumed_minor__gte=0, returned_minor__gte=0
                ),
                name="wallet_stakepart_not_negative",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    amount_minor__gte=models.F("consumed_minor") + models.F("returned_minor")
                ),
                name="wallet_stakepart_spent_once",
            ),
        ]

    def __str__(self) -> str:
        return f"part {self.position} of stake {self.stake_id}"
