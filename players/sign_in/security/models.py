"""Records of changes to an account's sign-in and payout data, shown to the player."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Final, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _


class AccountChangeQuerySet(models.QuerySet["AccountChange"]):
    def of_player(self, player: models.Model) -> Self:
        return self.filter(player=player)

    def holding(self) -> Self:
        """Return the changes that hold withdrawals."""
        return self.filter(kind__in=HOLDING)

    def since(self, moment: datetime) -> Self:
        return self.filter(at__gt=moment)

    def to_be_mailed(self) -> Self:
        return self.exclude(unsent=[])


class AccountChange(models.Model):
    """One change; `unsent` has the previously verified addresses still to be notified."""

    class Kind(models.TextChoices):
        EMAIL_ADDED = "email_added", _("E-mail address added")
        EMAIL_VERIFIED = "email_verified", _("E-mail address verified")
        EMAIL_PRIMARY = "email_primary", _("Primary e-mail address changed")
        EMAIL_REMOVED = "email_removed", _("E-mail address removed")
        PASSWORD_CHANGED = "password_changed", _("Password changed")
        PASSWORD_SET = "password_set", _("Password set")
        PASSWORD_RESET = "password_reset", _("Password reset by e-mail")
        PASSWORD_STORED = "password_stored", _("Password stored more securely")
        FACTOR_ADDED = "factor_added", _("Two-step sign-in turned on")
        FACTOR_REMOVED = "factor_removed", _("Two-step sign-in turned off")
        CODES_MADE = "codes_made", _("New recovery codes created")
        TOKEN_MADE = "token_made", _("Token created")
        TOKEN_ENDED = "token_ended", _("Token revoked")
        PAYEE_ADDED = "payee_added", _("Bank account registered")
        PAYEE_REMOVED = "payee_removed", _("Bank account removed")
        LIMIT_RAISED = "limit_raised", _("Limit raised or removed")

    player = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="account_changes",
        db_index=False,
    )
    kind = models.CharField(max_length=16, choices=Kind)
    # The address, the token's name or the last digits of the bank account; empty for a password.
    subject = models.CharField(max_length=254, blank=True, default="")
    by_staff = models.BooleanField(default=False)
    at = models.DateTimeField()
    # When it takes effect, if that is later.
    happens_at = models.DateTimeField(null=True)
    unsent = ArrayField(models.EmailField(), default=list)
    mail_tries = models.PositiveSmallIntegerField(default=0)

    objects = AccountChangeQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["player", "at"], name="players_accountchange_player"),
            models.Index(
                fields=["id"],
                condition=~models.Q(unsent=[]),
                name="players_accountchange_unsent",
            ),
        ]

    def __str__(self) -> str:
        label = str(self.get_kind_display())
        return f"{label}: {self.subject}" if self.subject else label


# Changes after which withdrawals are held as long as those to a new bank account.
HOLDING: Final = (
    AccountChange.Kind.EMAIL_ADDED,
    AccountChange.Kind.EMAIL_VERIFIED,
    AccountChange.Kind.EMAIL_PRIMARY,
    AccountChange.Kind.EMAIL_REMOVED,
    AccountChange.Kind.PASSWORD_CHANGED,
    AccountChange.Kind.PASSWORD_SET,
    AccountChange.Kind.PASSWORD_RESET,
    AccountChange.Kind.FACTOR_ADDED,
    AccountChange.Kind.FACTOR_REMOVED,
    AccountChange.Kind.CODES_MADE,
)
