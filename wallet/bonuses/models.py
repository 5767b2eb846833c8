"""Bonuses: lots of promotional money, each with its mode of use and its end (RB 11.1)."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, gettext_lazy

from core.db.identifiers import ProtectedForeignKey, ProtectedOneToOneField, new_public_id
from wallet.ledger.models import Account, CheckedRequest, Transfer
from wallet.ledger.money import MoneyProperty, as_money, as_text


class BonusMode(models.TextChoices):
    """How a lot is used up (RB 11.1)."""

    SPEND = "spend", gettext_lazy("Pays a part of entries")
    RELEASE = "release", gettext_lazy("Becomes winnings with each settled entry")


# The kind of account a lot is in; wallet/bonuses/sql/bonuses.sql enforces it.
ACCOUNT_OF_MODE = {
    BonusMode.SPEND: Account.Kind.BONUS,
    BonusMode.RELEASE: Account.Kind.LOCKED_BONUS,
}
TERM_DAYS_MAX = 365


class BonusGrantQuerySet(models.QuerySet["BonusGrant"]):
    def of_player(self, player: models.Model) -> Self:
        return self.filter(account__player=player)

    def left(self) -> Self:
        """Return lots with a remainder."""
        return self.filter(remaining_minor__gt=0)

    def owed(self) -> Self:
        """Return lots with a remainder, or with money in games that may be refunded."""
        in_games = BonusGrant.objects.filter(stake_parts__stake__status="live")
        return self.filter(models.Q(remaining_minor__gt=0) | models.Q(pk__in=in_games.values("pk")))

    def due(self, at: datetime) -> Self:
        """Return lots past their end with a remainder."""
        return self.left().filter(expires_at__lte=at)

    def with_in_games(self) -> Self:
        """Annotate each lot with `in_games_minor`, its money in unfinished games."""
        part = (
            models.F("stake_parts__amount_minor")
            - models.F("stake_parts__consumed_minor")
            - models.F("stake_parts__returned_minor")
        )
        is_live = models.Q(stake_parts__stake__status="live")
        sums = BonusGrant.objects.filter(pk=models.OuterRef("pk")).order_by().values("pk")
        live = sums.annotate(live=models.Sum(part, filter=is_live, default=0)).values("live")
        return self.annotate(in_games_minor=models.Subquery(live))

    def soonest_ending(self) -> Self:
        return self.order_by("expires_at", "pk")

    def locked(self, *, skip_locked: bool = False) -> Self:
        lots = self.select_for_update(no_key=True, of=("self",), skip_locked=skip_locked)
        return lots.order_by("pk")


class BonusGrant(models.Model):
    """A lot of bonus money. At COMMIT the lots of an account sum to its balance."""

    # Set by `with_in_games`.
    in_games_minor: int

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    # The player's bonus or locked bonus account, which gives player and currency.
    account = ProtectedForeignKey(Account, related_name="bonus_grants")
    # The transfer of the grant; its key names the reason.
    transfer = ProtectedOneToOneField(Transfer, related_name="bonus_grant")
    mode = models.CharField(max_length=7, choices=BonusMode)
    amount_minor = models.BigIntegerField()
    # The remainder: not spent, released or expired.
    remaining_minor = models.BigIntegerField()
    # The share released of each settled entry; null for a spendable lot.
    release_bps = models.IntegerField(null=True, blank=True)
    # The reason, shown to the player.
    reason = models.CharField(max_length=80)
    granted_by = ProtectedForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, related_name="+"
    )
    granted_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    objects = BonusGrantQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(
                    amount_minor__gt=0,
                    remaining_minor__gte=0,
                    remaining_minor__lte=models.F("amount_minor"),
                ),
                name="wallet_bonusgrant_holds_what_was_granted_at_most",
            ),
            models.CheckConstraint(
                condition=models.Q(mode="spend", release_bps=None)
                | models.Q(mode="release", release_bps__gte=1, release_bps__lte=10_000),
                name="wallet_bonusgrant_has_one_mode",
            ),
            models.CheckConstraint(
                condition=models.Q(expires_at__gt=models.F("granted_at")),
                name="wallet_bonusgrant_ends_after_it_begins",
            ),
            models.CheckConstraint(
                condition=~models.Q(reason=""), name="wallet_bonusgrant_has_a_reason"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["account", "expires_at"],
                condition=models.Q(remaining_minor__gt=0),
                name="wallet_bonusgrant_left",
            ),
            models.Index(
                fields=["expires_at"],
                condition=models.Q(remaining_minor__gt=0),
                name="wallet_bonusgrant_due",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.reason}: {as_text(self.amount)}"

    @property
    def currency(self) -> str:
        return self.account.currency

    amount = MoneyProperty("amount_minor")
    remaining = MoneyProperty("remaining_minor")


class BonusMovement(models.Model):
    """The change of one lot by one transfer; append-only."""

    grant = ProtectedForeignKey(BonusGrant, related_name="movements", db_index=False)
    transfer = ProtectedForeignKey(Transfer, related_name="bonus_movements")
    amount_minor = models.BigIntegerField()

    class Meta:
        ordering: ClassVar[list[str]] = ["id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["grant", "transfer"], name="wallet_bonusmovement_one_per_transfer"
            ),
            models.CheckConstraint(
                condition=~models.Q(amount_minor=0), name="wallet_bonusmovement_moves_something"
            ),
        ]

    def __str__(self) -> str:
        amount = as_text(as_money(self.amount_minor, self.grant.currency))
        return gettext("%(amount)s of %(grant)s") % {"amount": amount, "grant": self.grant}


class BonusRequest(CheckedRequest):
    """A bonus that one member of staff requests and another approves or rejects."""

    player = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="bonus_requests")
    currency = models.CharField(max_length=3)
    mode = models.CharField(max_length=7, choices=BonusMode, default=BonusMode.SPEND)
    release_bps = models.IntegerField(null=True, blank=True)
    # Counted from the approval.
    term_days = models.PositiveSmallIntegerField(default=30)
    reason = models.CharField(max_length=80)
    grant = ProtectedOneToOneField(BonusGrant, null=True, related_name="request")

    class Meta(CheckedRequest.Meta):
        permissions = (("check_bonusrequest", "Can approve and reject bonuses"),)
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *CheckedRequest.Meta.constraints,
            models.CheckConstraint(
                condition=models.Q(
                    amount_minor__gt=0, term_days__gte=1, term_days__lte=TERM_DAYS_MAX
                )
                & ~models.Q(reason=""),
                name="wallet_bonusrequest_says_how_much_how_long_and_why",
            ),
            models.CheckConstraint(
                condition=models.Q(mode="spend", release_bps=None)
                | models.Q(mode="release", release_bps__gte=1, release_bps__lte=10_000),
                name="wallet_bonusrequest_has_one_mode",
            ),
            models.CheckConstraint(
                condition=models.Q(status="approved", grant__isnull=False)
                | ~models.Q(status="approved") & models.Q(grant__isnull=True),
                name="wallet_bonusrequest_approved_is_granted",
            ),
        ]

    def __str__(self) -> str:
        names = {"amount": as_text(self.amount), "player": self.player}
        return gettext("%(amount)s for %(player)s") % names

    amount = MoneyProperty("amount_minor")
