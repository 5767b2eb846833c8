"""Transfers and their entries: what happened to money. Append-only, written by the database."""

from __future__ import annotations

from typing import ClassVar, Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from moneyed import Money

from players.identifiers import new_public_id
from wallet.models.accounts import Account
from wallet.money import as_money


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
        REVERSAL = "reversal", "Reversal"

    class Document(models.TextChoices):
        """What stands behind a transfer; `wallet/sql/policies.sql` has each one's policy."""

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

    # Set on the instance a posting returns when its key had been used: nothing moved this time.
    is_replay = False

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    # Derived from facts that never change: `buyin:{seat}:{n}`, `finish:{table}` (ARCHITECTURE 4).
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
                    *("kind", "reverses"),
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
        ]

    def __str__(self) -> str:
        return f"{self.amount} on account {self.account_id}"

    @property
    def amount(self) -> Money:
        return as_money(self.amount_minor, self.currency)

    @property
    def balance_after(self) -> Money:
        return as_money(self.balance_after_minor, self.currency)


class BookedDay(models.Model):
    """A day of the house that has ended; once it is closed, nothing is booked on it any more."""

    day = models.DateField(primary_key=True)
    ended_at = models.DateTimeField()
    # All database transactions that may have booked on it have lower numbers (docs/adr/0007).
    boundary = models.BigIntegerField()
    closed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.day.isoformat()
