"""Stakes and stacks: players' payments into games and their money on open-ended tables."""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, gettext_lazy

from core.clock import CreatedAtField
from core.db.identifiers import ProtectedForeignKey, ProtectedOneToOneField
from core.db.row_locks import OfPlayerQuerySet
from wallet.bonuses.models import BonusGrant
from wallet.ledger.models import Account, Transfer
from wallet.ledger.money import MoneyProperty, as_text


class StakeQuerySet(OfPlayerQuerySet["Stake"]):
    def live(self) -> Self:
        return self.filter(status=Stake.Status.LIVE)

    def in_escrow(self) -> Self:
        """Return stakes whose money is still in the escrow: in play, or lost to the pot."""
        return self.filter(status__in=[Stake.Status.LIVE, Stake.Status.LOST])


class Stake(models.Model):
    """One payment of a player into a game's escrow, and its outcome."""

    class Status(models.TextChoices):
        LIVE = "live", gettext_lazy("In play")
        LOST = "lost", gettext_lazy("Lost, still in the pot")
        SETTLED = "settled", gettext_lazy("Settled")
        REFUNDED = "refunded", gettext_lazy("Refunded")

    player = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="stakes")
    escrow = ProtectedForeignKey(Account, related_name="stakes")
    transfer = ProtectedOneToOneField(Transfer, related_name="stake")
    entry_minor = models.BigIntegerField()
    # r = e * bps // 10000, stored once at buy-in; revenue only when the game settles (RB 7.5).
    rake_minor = models.BigIntegerField()
    status = models.CharField(max_length=8, choices=Status, default=Status.LIVE)
    created_at = CreatedAtField()
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = StakeQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(
                    entry_minor__gt=0, rake_minor__gte=0, entry_minor__gte=models.F("rake_minor")
                ),
                name="wallet_stake_rake_within_entry",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=["live", "lost"], closed_at__isnull=True)
                | models.Q(status__in=["settled", "refunded"], closed_at__isnull=False),
                name="wallet_stake_closed_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        names = {"amount": as_text(self.entry), "player": self.player}
        return gettext("%(amount)s of %(player)s") % names

    @property
    def currency(self) -> str:
        return self.escrow.currency

    entry = MoneyProperty("entry_minor")

    @property
    def net_minor(self) -> int:
        return self.entry_minor - self.rake_minor


class StakePart(models.Model):
    """The share of a stake from one bucket or lot; refunds return the same parts."""

    stake = ProtectedForeignKey(Stake, related_name="parts", db_index=False)
    account = ProtectedForeignKey(Account, related_name="+")
    # The lot a bonus part comes from and is refunded to (RB 11.1).
    grant = ProtectedForeignKey(BonusGrant, null=True, blank=True, related_name="stake_parts")
    # Money won at an open-ended table: spent last, paid to winnings.
    is_won = models.BooleanField(default=False)
    # Spending order within the stake: bonus, deposit, winnings; then money won at the table.
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
        return gettext("part %(no)s of %(stake)s") % {"no": self.position, "stake": self.stake}

    @property
    def live_minor(self) -> int:
        return self.amount_minor - self.consumed_minor - self.returned_minor


class StakePartChange(models.Model):
    """One change of a part of a stake, and the day it counts in; append-only.

    Database triggers write it with each insert and update of parts (`stakes.sql`). The first change
    has the part's amount; consumed or returned amounts may be negative where a cancelled game
    returns
    a lost entry (RB 7.7). A part equals the sum of its changes.
    """

    part = ProtectedForeignKey(StakePart, related_name="changes")
    # Copied from the part, so that a player's money in games is one index range.
    account = ProtectedForeignKey(Account, related_name="+", db_constraint=False, db_index=False)
    booked_on = models.DateField()
    amount_minor = models.BigIntegerField()
    consumed_minor = models.BigIntegerField()
    returned_minor = models.BigIntegerField()

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["account", "booked_on"], name="wallet_stakepartchange_by_day"),
        ]

    def __str__(self) -> str:
        return f"change of {self.part} on {self.booked_on}"


class StackChange(models.Model):
    """A player's net result of one settled deal, after rake; append-only (RB 8.1).

    Stakes pass from loser to winner inside the game's escrow, so without rake there is no
    transfer: statements show each win and loss from these rows. All changes under one key and the
    rake posted with them sum to zero.
    """

    # One of the player's live stakes, which gives player, escrow and currency.
    stake = ProtectedForeignKey(Stake, related_name="changes")
    # The key of the deal, `deal:{table}:{deal}`; the transfer of the rake has the same.
    key = models.CharField(max_length=160)
    amount_minor = models.BigIntegerField()
    made_at = CreatedAtField()

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["key", "stake"], name="wallet_stackchange_once_per_deal"
            ),
            models.CheckConstraint(
                condition=~models.Q(amount_minor=0), name="wallet_stackchange_moves_something"
            ),
        ]

    def __str__(self) -> str:
        return f"{as_text(self.amount)} by {self.key}"

    amount = MoneyProperty("amount_minor", currency="stake.currency")
