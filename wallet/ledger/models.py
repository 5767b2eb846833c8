"""Accounts and transfers: where money is, and what happened to it.

Only the database functions behind `wallet.ledger.posting` write them. Amounts are integers in the
currency's minor unit (`*_minor`). What the house owes a player is positive on the player's account;
every transfer sums to zero per currency and is never changed.
"""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.clock import CreatedAtField
from core.db.identifiers import new_public_id
from wallet.ledger.money import MoneyProperty, as_text


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
        RECEIVABLE = "receivable", _("Owed for reversed payments")
        ESCROW = "escrow", "Escrow of a game"
        RAKE = "rake", "House rake"
        PROMOTIONS = "promotions", "Promotions"
        GUARANTEE = "guarantee", "Guarantees"
        GATEWAY_CLEARING = "gateway_clearing", "Gateway clearing"
        TDS_PAYABLE = "tds_payable", "TDS payable"
        GST_PAYABLE = "gst_payable", "GST payable"
        SUSPENSE = "suspense", "Suspense"
        # What gateways keep of the money they pay out, and its tax, to be set off against GST.
        GATEWAY_FEES = "gateway_fees", "Gateway fees"
        INPUT_TAX = "input_tax", "Tax on gateway fees"

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
                    "kind",
                    "player",
                    "ref",
                    "floor_minor",
                    function="wallet_account_fits_its_kind",
                    output_field=models.BooleanField(),
                ),
                name="wallet_account_owner_fits_kind",
            ),
        ]

    def __str__(self) -> str:
        owner = self.player or self.ref or "the house"
        return f"{self.get_kind_display()} {self.currency} of {owner}"

    @property
    def picker_label(self) -> str:
        if self.player is None:
            return str(self)
        return f"{self.get_kind_display()} {self.currency} of {self.player.picker_label}"

    balance = MoneyProperty("balance_minor")


class Transfer(models.Model):
    """An immutable movement of money: two or more entries that sum to zero per currency."""

    class Kind(models.TextChoices):
        GRANT = "grant", "Grant"
        BUY_IN = "buy_in", "Buy-in"
        PRIZE = "prize", "Prize"
        REFUND = "refund", "Refund"
        TAX = "tax", "Tax"
        DEPOSIT = "deposit", "Deposit"
        WITHDRAWAL = "withdrawal", "Withdrawal"
        ADJUSTMENT = "adjustment", "Adjustment"
        BONUS = "bonus", "Bonus"
        RELEASE = "release", "Release of a bonus"
        EXPIRY = "expiry", "Expiry of a bonus"
        RAKE = "rake", "Rake of a deal"
        CASH_OUT = "cash_out", "Cash-out"
        CHARGEBACK = "chargeback", "Refund or chargeback"
        RESTITUTION = "restitution", "Restitution of prizes"
        FEE = "fee", "Fee of a gateway"
        REVERSAL = "reversal", "Reversal"

    class Document(models.TextChoices):
        """What stands behind a transfer; `wallet/ledger/sql/policies.sql` has each one's policy."""

        ORDER = "order", "Order at a gateway"
        PAYMENT = "payment", "Payment to be placed by staff"
        TASK = "task", "Payment placed by staff"
        PAYMENT_RETURN = "payment_return", "Refund or dispute of a payment"
        DEBT = "debt", "Debt paid out of what came in"
        WITHDRAWAL = "withdrawal", "Withdrawal"
        PAYOUT = "payout", "Withdrawal paid by the bank"
        WITHHOLDING = "withholding", "Tax of a year"
        STAKE = "stake", "Stake"
        GAME = "game", "All stakes of a game"
        STAKES = "stakes", "Stakes given back"
        STACK = "stack", "Stack cashed out"
        DEAL = "deal", "Deal at a points table"
        TICKET = "ticket", "Ticket"
        GUARANTEE = "guarantee", "Guarantee of a game"
        SIGN_UP = "sign_up", "Sign-up"
        REFILL = "refill", "Daily refill"
        BOT = "bot", "Practice bot"
        LOT = "lot", "Bonus"
        ADJUSTMENT = "adjustment", "Approved correction"
        RESTITUTION = "restitution", "Approved restitution"
        SETTLEMENT = "settlement", "Settlement of a gateway"

    # Set on the instance a posting returns when its key had been used: nothing moved this time.
    is_replay = False

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    # Derived from facts that never change: `buyin:{seat}:{n}`, `finish:{table}` (ADR 2).
    key = models.CharField(max_length=160)
    # Of the kind, the entries and the facts; the same key with another fingerprint is refused.
    fingerprint = models.BinaryField(max_length=32, editable=False)
    kind = models.CharField(max_length=16, choices=Kind)
    entry_count = models.SmallIntegerField()
    reverses = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="reversed_by"
    )
    memo = models.CharField(max_length=200, default="", blank=True)
    actor = models.CharField(max_length=80, default="", blank=True)
    # The facts behind it. The document's number is there where it is known before the transfer and
    # stands behind no other; the others' documents name their transfer themselves.
    document = models.CharField(max_length=16, choices=Document, default="", blank=True)
    document_id = models.BigIntegerField(null=True, blank=True)
    # What the wallet calls a game or a ticket: the `ref` of its account; and which deal of it.
    game = models.CharField(max_length=80, default="", blank=True)
    deal = models.IntegerField(null=True, blank=True)
    # Accounts that had to be empty afterwards. Unknown of transfers from before it was kept.
    emptied = ArrayField(models.BigIntegerField(), null=True, blank=True, editable=False)
    # The database transaction that made it; entries may only be added within it.
    xid = models.BigIntegerField(editable=False)
    # The house's calendar day (Asia/Kolkata) this transfer counts in.
    booked_on = models.DateField()
    effective_at = models.DateTimeField()
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["key"], name="wallet_transfer_key_once"),
            # One transfer for each document, and a refill a day for each player. What brings money
            # to several players may pay the debt of each.
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
            models.CheckConstraint(condition=~models.Q(key=""), name="wallet_transfer_has_a_key"),
            models.CheckConstraint(
                condition=models.Q(entry_count__gte=2), name="wallet_transfer_two_sides_or_more"
            ),
            models.CheckConstraint(
                condition=models.Func(
                    "kind",
                    "reverses",
                    function="wallet_transfer_fits_its_kind",
                    output_field=models.BooleanField(),
                ),
                name="wallet_transfer_reversal_names_its_transfer",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            # The journal's order: by database transaction, so that no late commit is passed over.
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
    # That both exist, the account in this currency, is asked of all entries of a transfer at once
    # (posting_guards.sql), and again by the audit.
    transfer = models.ForeignKey(
        Transfer, on_delete=models.PROTECT, related_name="entries", db_constraint=False
    )
    account = models.ForeignKey(
        Account,
        on_delete=models.PROTECT,
        related_name="entries",
        db_constraint=False,
        db_index=False,
    )
    currency = models.CharField(max_length=3)
    # Its transfer's, so that a day's entries are bounded without its transfers.
    booked_on = models.DateField()
    # Its transfer's too, so that a statement of one kind is read without the others.
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
            models.CheckConstraint(
                condition=~models.Q(amount_minor=0), name="wallet_entry_moves_something"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["account", "id"], name="wallet_entry_statement"),
            # What makes most entries is soon found among them, and costs no index.
            models.Index(
                fields=["account", "kind", "id"],
                condition=~models.Q(kind__in=["buy_in", "prize"]),
                name="wallet_entry_of_a_rare_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{as_text(self.amount)} on {self.account}"

    amount = MoneyProperty("amount_minor")
    balance_after = MoneyProperty("balance_after_minor")


class BookedDay(models.Model):
    """A day of the house that has ended; once it is closed, nothing is booked on it any more."""

    day = models.DateField(primary_key=True)
    ended_at = models.DateTimeField()
    # All database transactions that may have booked on it have lower numbers (docs/adr/0007).
    boundary = models.BigIntegerField()
    closed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.day.isoformat()
