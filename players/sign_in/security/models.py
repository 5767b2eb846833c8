"""Records of changes to an account's sign-in and payout data, and enrolment links of staff."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Final, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from core.db.identifiers import ProtectedForeignKey
from core.db.row_locks import OfPlayerQuerySet


class AccountChangeQuerySet(OfPlayerQuerySet["AccountChange"]):
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

    player = ProtectedForeignKey(
        settings.AUTH_USER_MODEL, related_name="account_changes", db_index=False
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


# The model's name, which the audit log shows; the admin has no list from which it is collected.
gettext_noop("factor link")


class FactorLinkQuerySet(OfPlayerQuerySet["FactorLink"]):
    """Links of members of staff."""


class FactorLink(models.Model):
    """A single-use link for one account, valid until it expires or a newer one is created."""

    player = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="factor_links")
    # The account's address when the link was created; the link is invalid if it changes.
    sent_to = models.EmailField()
    # Null if created by `manage.py enrolment_link`.
    made_by = ProtectedForeignKey(
        settings.AUTH_USER_MODEL, null=True, related_name="+", db_index=False
    )
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    objects = FactorLinkQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(used_at=None)
                | models.Q(used_at__gte=models.F("made_at"), used_at__lte=models.F("expires_at")),
                name="players_factorlink_used_in_time",
            ),
        ]

    def __str__(self) -> str:
        return f"second factor of {self.player}"
