"""Bank accounts that players have registered for withdrawals."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.db.identifiers import ProtectedForeignKey, new_public_id
from core.db.row_locks import OfPlayerQuerySet
from wallet.withdrawals.payees.banks import Merger, merger_of


class RegisteredPayeeQuerySet(OfPlayerQuerySet["RegisteredPayee"]):
    def active(self) -> Self:
        return self.filter(removed_at__isnull=True)


class RegisteredPayee(models.Model):
    """A player's bank account; withdrawals are paid only to these (RB 11.2).

    A row is immutable: a change is another row. A removed one is kept for the withdrawals paid to
    it.
    """

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    player = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="payees")
    # Name, account and IFSC; `wallet.withdrawals.payees.sealing` decrypts it for this row only.
    encrypted_payee = models.BinaryField()
    # Shown to the player: the four letters of the bank, and the last digits.
    bank = models.CharField(max_length=4)
    account_end = models.CharField(max_length=4)
    # Keyed hash of the bank account (PAYEE_KEYS): shows staff who else uses it.
    payee_hash = models.CharField(max_length=64, editable=False)
    registered_at = models.DateTimeField()
    # Withdrawals to it are not approved before then; null for the player's first.
    usable_from = models.DateTimeField(null=True)
    removed_at = models.DateTimeField(null=True)

    objects = RegisteredPayeeQuerySet.as_manager()

    class Meta:
        verbose_name = _("registered bank account")
        verbose_name_plural = _("registered bank accounts")
        ordering: ClassVar[list[str]] = ["-id"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["payee_hash"], name="wallet_payee_same_account"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["player"],
                condition=models.Q(usable_from=None),
                name="wallet_registeredpayee_one_first",
            ),
            models.UniqueConstraint(
                fields=["player", "payee_hash"],
                condition=models.Q(removed_at=None),
                name="wallet_registeredpayee_once",
            ),
            # Referred to by withdrawals as a pair, which proves that the account is the player's.
            models.UniqueConstraint(
                fields=["id", "player"], name="wallet_registeredpayee_of_its_player"
            ),
            models.CheckConstraint(
                condition=models.Q(usable_from=None)
                | models.Q(usable_from__gte=models.F("registered_at")),
                name="wallet_registeredpayee_usable_afterwards",
            ),
            models.CheckConstraint(
                condition=models.Q(removed_at=None)
                | models.Q(removed_at__gte=models.F("registered_at")),
                name="wallet_registeredpayee_removed_afterwards",
            ),
        ]

    def __str__(self) -> str:
        return str(_("%(bank)s, ending in %(digits)s")) % {
            "bank": self.bank,
            "digits": self.account_end,
        }

    @property
    def merger(self) -> Merger | None:
        """The merger that ended its bank's code; None if money can be sent to it."""
        return merger_of(self.bank)

    @property
    def merged_into(self) -> str | None:
        return self.merger.into if self.merger else None

    def new_until(self, now: datetime) -> datetime | None:
        """Return when withdrawals to it are approved again; None if they are now."""
        is_new = self.usable_from is not None and self.usable_from > now
        return self.usable_from if is_new else None
