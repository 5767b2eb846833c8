"""Seals, audit runs, row versions and freezes; append-only, written by the database."""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models.fields.json import KeyTextTransform
from django.utils.translation import gettext, gettext_lazy

from core.clock import CreatedAtField
from core.db.identifiers import ProtectedForeignKey
from wallet.ledger.models import Account


class SealQuerySet(models.QuerySet["Seal"]):
    def latest_first(self) -> Self:
        return self.order_by("-number")


class Seal(models.Model):
    """A hash over a block of finished database transactions and over the previous seal."""

    number = models.BigIntegerField(unique=True)
    # The first database transaction of the block, and the one after its last.
    from_xid = models.BigIntegerField()
    to_xid = models.BigIntegerField()
    transfer_count = models.BigIntegerField()
    entry_count = models.BigIntegerField()
    # The versions of rows that those transactions wrote.
    version_count = models.BigIntegerField(default=0)
    # Sixteen bytes for each transfer: its id and the start of its hash. If the seal no longer
    # matches, the audit finds the altered transfers by them.
    transfer_tokens = models.BinaryField(default=b"", editable=False)
    previous = models.CharField(max_length=64)
    hash = models.CharField(max_length=64, unique=True)
    sealed_at = models.DateTimeField()

    objects = SealQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-number"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(to_xid__gt=models.F("from_xid"))
                & (models.Q(transfer_count__gt=0) | models.Q(version_count__gt=0)),
                name="wallet_seal_holds_something",
            ),
        ]

    def __str__(self) -> str:
        names = {"no": self.number, "time": self.sealed_at.isoformat(timespec="seconds")}
        return gettext("seal %(no)s %(time)s %(hash)s") % {**names, "hash": self.hash}


class SentHead(models.Model):
    """The number and hash of a seal as sent to another host, which keeps them unchanged."""

    number = models.BigIntegerField()
    hash = models.CharField(max_length=64)
    # An e-mail address or a URL.
    sent_to = models.CharField(max_length=200)
    sent_at = CreatedAtField()

    class Meta:
        ordering: ClassVar[list[str]] = ["-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["sent_to", "number"], name="wallet_senthead_once"),
        ]

    def __str__(self) -> str:
        return f"seal {self.number} {self.hash} to {self.sent_to}"


class AuditRunQuerySet(models.QuerySet["AuditRun"]):
    def full(self) -> Self:
        return self.filter(kind=AuditRun.Kind.FULL)


class AuditRun(models.Model):
    """One audit of the ledger: what it examined and how many differences it found."""

    class Kind(models.TextChoices):
        FULL = "full", gettext_lazy("Everything")
        SHORT = "short", gettext_lazy("New rows")

    kind = models.CharField(max_length=5, choices=Kind, default=Kind.FULL)
    # For a short audit: the last full audit, without differences. Rows that it examined are
    # not examined again.
    builds_on = ProtectedForeignKey("self", null=True, editable=False, related_name="+")
    # For a full audit: the newest seal when it began, and the end of that seal's block. Later
    # short audits examine rows from `to_xid` on, and transfers from about `next_transfer` on.
    seal_number = models.BigIntegerField(default=0)
    seal_hash = models.CharField(max_length=64, default="", blank=True)
    to_xid = models.BigIntegerField(default=0, editable=False)
    next_transfer = models.BigIntegerField(default=0, editable=False)
    ran_at = CreatedAtField()
    differences = models.IntegerField()
    transfers = models.BigIntegerField()
    entries = models.BigIntegerField()
    seconds = models.FloatField()

    objects = AuditRunQuerySet.as_manager()

    class Meta:
        verbose_name = "audit of the ledger"
        verbose_name_plural = "audits of the ledger"
        ordering: ClassVar[list[str]] = ["-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(kind="full", builds_on=None)
                | models.Q(kind="short", builds_on__isnull=False),
                name="wallet_auditrun_short_builds_on_one",
            ),
        ]

    def __str__(self) -> str:
        names = {"differences": self.differences, "entries": self.entries}
        return gettext("%(differences)s differences in %(entries)s entries") % names


class AuditedBalance(models.Model):
    """The total of all accounts of a kind, as of the newest seal when a clean full audit began."""

    run = ProtectedForeignKey(AuditRun, related_name="balances", db_index=False)
    account_kind = models.CharField(max_length=16)
    currency = models.CharField(max_length=3)
    balance_minor = models.DecimalField(max_digits=30, decimal_places=0)
    # The number of entries in the total.
    entries = models.BigIntegerField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["run", "account_kind", "currency"], name="wallet_auditedbalance_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.account_kind} {self.currency}: {self.balance_minor}"


class AuditedTable(models.Model):
    """The highest primary key of a watched table when a clean full audit began."""

    run = ProtectedForeignKey(AuditRun, related_name="tables", db_index=False)
    relation = models.CharField(max_length=63)
    newest = models.BigIntegerField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["run", "relation"], name="wallet_auditedtable_once"),
        ]

    def __str__(self) -> str:
        return f"{self.relation} up to {self.newest}"


class RowVersion(models.Model):
    """The state of a watched row after a database transaction that wrote it.

    Triggers write versions; they are append-only and sealed. The audit compares each watched row
    with its last version (wallet/audit/sql/versions.sql).
    """

    class Act(models.TextChoices):
        INSERT = "insert", gettext_lazy("Written")
        UPDATE = "update", gettext_lazy("Changed")
        DELETE = "delete", gettext_lazy("Deleted")
        # The row existed when its table was first watched, or was changed by a migration.
        ADOPT = "adopt", gettext_lazy("Recorded")

    xid = models.BigIntegerField(editable=False)
    # The table and the row's primary key.
    relation = models.CharField(max_length=63)
    row_key = models.CharField(max_length=64)
    act = models.CharField(max_length=6, choices=Act)
    # The row's columns as text, long values as their SHA-256. Tables differ, hence JSON instead of
    # columns.
    facts = models.JSONField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(act__in=["insert", "update", "delete", "adopt"]),
                name="wallet_rowversion_act_known",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["xid", "id"], name="wallet_rowversion_seal_order"),
            models.Index(fields=["relation", "row_key", "id"], name="wallet_rowversion_of_a_row"),
            # Partial: few versions are of seals. They show which seals existed.
            models.Index(
                fields=["id"],
                condition=models.Q(relation="wallet_seal"),
                name="wallet_rowversion_of_seals",
            ),
            # Partial: the earlier e-mail addresses of an account, which the audit looks up when one
            # is added or verified.
            models.Index(
                KeyTextTransform("user_id", "facts"),
                "id",
                condition=models.Q(relation="account_emailaddress"),
                name="wallet_rowversion_of_addresses",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.act} {self.relation} {self.row_key}"


class WithdrawalFreezeQuerySet(models.QuerySet["WithdrawalFreeze"]):
    def active(self) -> Self:
        return self.filter(lifted_at__isnull=True)

    def locked(self) -> Self:
        return self.select_for_update(no_key=True).order_by("pk")


class WithdrawalFreeze(models.Model):
    """A freeze of all withdrawals; while one is active, the ledger refuses them."""

    reason = models.CharField(max_length=200)
    findings = models.TextField(blank=True, default="")
    frozen_at = CreatedAtField()
    # Two people lift it: one confirms that the ledger is right, the other lifts.
    cleared_by = models.CharField(max_length=80, blank=True, default="")
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_by = models.CharField(max_length=80, blank=True, default="")

    objects = WithdrawalFreezeQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                models.Value(1),
                condition=models.Q(lifted_at__isnull=True),
                name="wallet_withdrawalfreeze_one_standing",
            ),
            models.CheckConstraint(
                condition=models.Q(lifted_at__isnull=True, lifted_by="")
                | models.Q(lifted_at__isnull=False) & ~models.Q(lifted_by=""),
                name="wallet_withdrawalfreeze_lifted_by_somebody",
            ),
            models.CheckConstraint(
                condition=models.Q(lifted_at__isnull=True)
                | ~models.Q(cleared_by="") & ~models.Q(lifted_by=models.F("cleared_by")),
                name="wallet_withdrawalfreeze_lifted_by_two_people",
            ),
        ]

    def __str__(self) -> str:
        return self.reason


class AccountFreeze(models.Model):
    """A staff action that freezes or thaws an account, with its reason. Append-only."""

    class Act(models.TextChoices):
        FREEZE = "freeze", gettext_lazy("Freeze: no money can leave")
        THAW = "thaw", gettext_lazy("Thaw: money can leave again")

    account = ProtectedForeignKey(Account, related_name="freezes")
    act = models.CharField(max_length=6, choices=Act)
    reason = models.CharField(max_length=200)
    by = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="+")
    at = CreatedAtField()

    class Meta:
        verbose_name = "freeze or thaw of an account"
        verbose_name_plural = "freezes and thaws of accounts"
        ordering: ClassVar[list[str]] = ["-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=~models.Q(reason=""), name="wallet_accountfreeze_has_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_act_display()} {self.account}"
