"""Accounts: where money is. Only the database functions behind `wallet.ledger` write them.

Amounts are integers in the currency's minor unit (`*_minor`). What the house owes a player is
positive on the player's account; every transfer sums to zero per currency.
"""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from moneyed import Money

from players.identifiers import new_public_id
from wallet.money import as_money


class Bucket(models.TextChoices):
    """A player's own money by where it came from, in spending order (RB 11.1)."""

    BONUS = "bonus", "Bonus"
    DEPOSIT = "deposit", "Deposit"
    WINNINGS = "winnings", "Winnings"


# Every account a player owns but tickets, of which there are many; kinds.sql says whose is whose.
PLAYER_KINDS = ("bonus", "deposit", "winnings", "withdrawal_hold", "locked_bonus")


class AccountQuerySet(models.QuerySet["Account"]):
    def of_player(self, player: models.Model) -> Self:
        return self.filter(player=player)

    def buckets_of(self, player: models.Model) -> Self:
        return self.filter(player=player, kind__in=Bucket.values)

    def escrows(self) -> Self:
        return self.filter(kind=Account.Kind.ESCROW)


class Account(models.Model):
    class Kind(models.TextChoices):
        BONUS = "bonus", _("Bonus")
        DEPOSIT = "deposit", _("Deposit")
        WINNINGS = "winnings", _("Winnings")
        WITHDRAWAL_HOLD = "withdrawal_hold", _("Withdrawal hold")
        # Promised, and the player's own only when released by playing (RB 11.1).
        LOCKED_BONUS = "locked_bonus", _("Locked bonus")
        # An entry won: as many as a player has tickets, each named by its `ref` (RB 10.5).
        TICKET = "ticket", _("Ticket")
        # What a player owes for payments that were taken back; never above zero.
        RECEIVABLE = "receivable", _("Owed for payments taken back")
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
        # Nothing may leave; what is owed still arrives, or one player would stall a whole table.
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
                condition=models.Q(status__in=["open", "frozen"])
                | models.Q(status="closed", balance_minor=0),
                name="wallet_account_closed_is_empty",
            ),
            models.CheckConstraint(
                condition=~models.Q(kind="receivable") | models.Q(balance_minor__lte=0),
                name="wallet_account_receivable_is_a_debt",
            ),
            # Whose it is, and that a player cannot owe nor a game pay out what nobody paid in.
            models.CheckConstraint(
                condition=models.Func(
                    *("kind", "player", "ref", "floor_minor"),
                    function="wallet_account_fits_its_kind",
                    output_field=models.BooleanField(),
                ),
                name="wallet_account_owner_fits_kind",
            ),
        ]

    def __str__(self) -> str:
        owner = (self.player_id and f"player {self.player_id}") or self.ref or "the house"
        return f"{self.get_kind_display()} {self.currency} of {owner}"

    @property
    def balance(self) -> Money:
        return as_money(self.balance_minor, self.currency)
