"""Accounts, transfers and entries.

Only the database functions called by `wallet.ledger.posting` write them; conditions on single
columns are domains (`kinds.sql`). Amounts are integers in the currency's minor unit (`*_minor`). A
player's account is positive when the operator owes the player; every transfer sums to zero per
currency and never changes.
"""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.clock import CreatedAtField
from core.db.identifiers import ProtectedForeignKey, ProtectedOneToOneField, new_public_id
from core.maker_checker import Checked
from wallet.ledger.money import MoneyProperty, as_text


class Bucket(models.TextChoices):
    """A player's own money by where it came from, in spending order (RB 11.1)."""

    BONUS = "bonus", _("Bonus")
    DEPOSIT = "deposit", _("Deposit")
    WINNINGS = "winnings", _("Winnings")


# Every account of a player except tickets; kinds.sql defines the owner of each kind.
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
        # Granted, but the player's own only after release by playing (RB 11.1).
        LOCKED_BONUS = "locked_bonus", _("Locked bonus")
        # A won entry: one account per ticket, named by its `ref` (RB 10.5).
        TICKET = "ticket", _("Ticket")
        # The player's debt for reversed payments; never above zero.
        RECEIVABLE = "receivable", _("Owed for reversed payments")
        ESCROW = "escrow", _("Escrow of a game")
        RAKE = "rake", _("Rake")
        PROMOTIONS = "promotions", _("Promotions")
        GUARANTEE = "guarantee", _("Guarantees")
        GATEWAY_CLEARING = "gateway_clearing", _("Gateway clearing")
        TDS_PAYABLE = "tds_payable", _("TDS payable")
        GST_PAYABLE = "gst_payable", _("GST payable")
        SUSPENSE = "suspense", _("Suspense")
        # Fees that gateways deduct from settlements, and the GST on them (input tax credit).
        GATEWAY_FEES = "gateway_fees", _("Gateway fees")
        INPUT_TAX = "input_tax", _("Tax on gateway fees")

    class Status(models.TextChoices):
        OPEN = "open", _("Open")
        # Debits are refused; credits still arrive, or one player would block a whole table.
        FROZEN = "frozen", _("Frozen")
        CLOSED = "closed", _("Closed")

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    kind = models.CharField(max_length=20, choices=Kind)
    player = ProtectedForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, related_name="accounts"
    )
    # The game an escrow belongs to ("table:<uuid>"), the ticket, or "" for the operator.
    ref = models.CharField(max_length=80, default="", blank=True)
    shard = models.SmallIntegerField(default=0)
    currency = models.CharField(max_length=3)
    balance_minor = models.BigIntegerField(default=0)
    # The balance may not go below this; null means no floor (operator accounts).
    floor_minor = models.BigIntegerField(null=True, blank=True)
    # The number of the account's entries, without gaps.
    version = models.BigIntegerField(default=0)
    status = models.CharField(max_length=8, choices=Status, default=Status.OPEN)
    created_at = CreatedAtField()

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
        ]

    def __str__(self) -> str:
        return self._of(self.player or self.ref_text or gettext("the operator"))

    @property
    def ref_text(self) -> str:
        """Return the game with the code that its own name ends with, such as "table 8e00aa"."""
        kind, _, code = self.ref.partition(":")
        names = {"code": code[-6:]}
        if kind == "table":
            return gettext("table %(code)s") % names
        if kind == "season":
            return gettext("season %(code)s") % names
        return gettext("tournament %(code)s") % names if kind == "tournament" else self.ref

    @property
    def picker_label(self) -> str:
        if self.player is None:
            return str(self)
        return self._of(self.player.picker_label)

    def _of(self, owner: object) -> str:
        names = {"kind": self.get_kind_display(), "currency": self.currency, "owner": owner}
        return gettext("%(kind)s %(currency)s of %(owner)s") % names

    balance = MoneyProperty("balance_minor")


class Transfer(models.Model):
    """An immutable movement of money: two or more entries that sum to zero per currency."""

    class Kind(models.TextChoices):
        GRANT = "grant", _("Grant")
        BUY_IN = "buy_in", _("Buy-in")
        PRIZE = "prize", _("Prize")
        REFUND = "refund", _("Refund")
        TAX = "tax", _("Tax")
        DEPOSIT = "deposit", _("Deposit")
        WITHDRAWAL = "withdrawal", _("Withdrawal")
        ADJUSTMENT = "adjustment", _("Adjustment")
        BONUS = "bonus", _("Bonus")
        RELEASE = "release", _("Release of a bonus")
        EXPIRY = "expiry", _("Expiry of a bonus")
        RAKE = "rake", _("Rake of a deal")
        CASH_OUT = "cash_out", _("Cash-out")
        CHARGEBACK = "chargeback", _("Refund or chargeback")
        RESTITUTION = "restitution", _("Restitution of prizes")
        FEE = "fee", _("Fee of a gateway")
        REVERSAL = "reversal", _("Reversal")

    class Document(models.TextChoices):
        """The record that justifies a transfer; `policies.sql` has the policy of each."""

        ORDER = "order", _("Gateway order")
        PAYMENT = "payment", _("Payment in suspense")
        TASK = "task", _("Payment assigned by staff")
        PAYMENT_RETURN = "payment_return", _("Refund or dispute of a payment")
        DEBT = "debt", _("Debt collected from a credit")
        WITHDRAWAL = "withdrawal", _("Withdrawal")
        PAYOUT = "payout", _("Withdrawal paid by the bank")
        WITHHOLDING = "withholding", _("Year-end tax")
        STAKE = "stake", _("Stake")
        GAME = "game", _("All stakes of a game")
        STAKES = "stakes", _("Stakes refunded")
        STACK = "stack", _("Stack cashed out")
        DEAL = "deal", _("Deal at a points table")
        TICKET = "ticket", _("Ticket")
        GUARANTEE = "guarantee", _("Guarantee of a game")
        SIGN_UP = "sign_up", _("Sign-up")
        REFILL = "refill", _("Daily refill")
        BOT = "bot", _("Practice bot")
        LOT = "lot", _("Bonus")
        ADJUSTMENT = "adjustment", _("Approved correction")
        RESTITUTION = "restitution", _("Approved restitution")
        SETTLEMENT = "settlement", _("Settlement of a gateway")

    # Set on the returned instance if its key had been used: this call posted nothing.
    is_replay = False

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    # Derived from immutable facts: `buyin:{seat}:{n}`, `finish:{table}` (ADR 2).
    key = models.CharField(max_length=160)
    # Hash of kind, entries and facts; the same key with another fingerprint is refused.
    fingerprint = models.BinaryField(max_length=32, editable=False)
    kind = models.CharField(max_length=16, choices=Kind)
    entry_count = models.SmallIntegerField()
    reverses = ProtectedOneToOneField("self", null=True, blank=True, related_name="reversed_by")
    memo = models.CharField(max_length=200, default="", blank=True)
    actor = models.CharField(max_length=80, default="", blank=True)
    # The primary key of the document if it exists before the transfer; each has one transfer.
    # Documents written after the transfer refer to it instead.
    document = models.CharField(max_length=16, choices=Document, default="", blank=True)
    document_id = models.BigIntegerField(null=True, blank=True)
    # The `ref` of the game's or ticket's account, and the number of the deal.
    game = models.CharField(max_length=80, default="", blank=True)
    deal = models.IntegerField(null=True, blank=True)
    # Accounts that had to be empty afterwards.
    emptied = ArrayField(models.BigIntegerField(), default=list, editable=False)
    # The database transaction that wrote it; entries can be added only within it.
    xid = models.BigIntegerField(editable=False)
    # The day it is booked on (Asia/Kolkata).
    booked_on = models.DateField()
    effective_at = models.DateTimeField()
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["key"], name="wallet_transfer_key_once"),
            # One transfer per document, and one refill per day and player. A transfer that pays
            # several
            # players may be followed by a debt collection for each.
            models.UniqueConstraint(
                fields=["document", "document_id"],
                condition=models.Q(document_id__isnull=False)
                & ~models.Q(document__in=["refill", "debt"]),
                name="wallet_transfer_document_once",
            ),
            models.UniqueConstraint(
                fields=["document_id", "booked_on"],
                condition=models.Q(document="refill"),
                name="wallet_transfer_refill_once_a_day",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            # The journal's order: by database transaction, so that a late commit is not skipped.
            models.Index(fields=["xid", "id"], name="wallet_transfer_journal_order"),
            models.Index(fields=["booked_on", "xid"], name="wallet_transfer_by_day"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.key}"


class EntryQuerySet(models.QuerySet["Entry"]):
    def of_player(self, player: models.Model) -> Self:
        return self.filter(account__player=player)

    def latest_first(self) -> Self:
        return self.order_by("-id")


class Entry(models.Model):
    # posting_guards.sql checks all entries of a transfer at once for their account and its
    # currency; the audit checks them again.
    transfer = ProtectedForeignKey(Transfer, related_name="entries", db_constraint=False)
    account = ProtectedForeignKey(
        Account, related_name="entries", db_constraint=False, db_index=False
    )
    currency = models.CharField(max_length=3)
    # Copied from the transfer, so that a day's entries can be found without a join.
    booked_on = models.DateField()
    # Copied from the transfer, so that a statement can filter by kind without a join.
    kind = models.CharField(max_length=16, choices=Transfer.Kind)
    amount_minor = models.BigIntegerField()
    balance_after_minor = models.BigIntegerField()
    account_version = models.BigIntegerField()

    objects = EntryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "entries"
        ordering: ClassVar[list[str]] = ["id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["account", "account_version"], name="wallet_entry_versions_without_gap"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["account", "id"], name="wallet_entry_statement"),
            # Partial: the most frequent kinds are left out, a scan finds them soon enough.
            models.Index(
                fields=["account", "kind", "id"],
                condition=~models.Q(kind__in=["buy_in", "prize"]),
                name="wallet_entry_of_a_rare_kind",
            ),
        ]

    def __str__(self) -> str:
        names = {"amount": as_text(self.amount), "account": self.account}
        return gettext("%(amount)s on %(account)s") % names

    amount = MoneyProperty("amount_minor")
    balance_after = MoneyProperty("balance_after_minor")


class BookedDay(models.Model):
    """A day that has ended; once it is closed, nothing more is booked on it."""

    day = models.DateField(primary_key=True)
    ended_at = models.DateTimeField()
    # All transactions that may book on the day have lower ids (docs/adr/0007).
    boundary = models.BigIntegerField()
    closed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.day.isoformat()


class CheckedRequest(Checked):
    """A request for an amount of money."""

    amount_minor = models.BigIntegerField()

    class Meta(Checked.Meta):
        abstract = True


class PostedRequest(CheckedRequest):
    """A request for a transfer, with its reason; approval posts the transfer."""

    reason = models.CharField(max_length=200)
    transfer = ProtectedOneToOneField(Transfer, null=True, related_name="%(class)s")

    class Meta(CheckedRequest.Meta):
        abstract = True
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *CheckedRequest.Meta.constraints,
            models.CheckConstraint(
                condition=~models.Q(reason=""), name="%(app_label)s_%(class)s_has_a_reason"
            ),
            models.CheckConstraint(
                condition=models.Q(status="approved", transfer__isnull=False)
                | ~models.Q(status="approved") & models.Q(transfer__isnull=True),
                name="%(app_label)s_%(class)s_approved_is_posted",
            ),
        ]
