"""Identity checks with their documents and decisions, and tax numbers."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.db.identifiers import ProtectedForeignKey, ProtectedOneToOneField, new_public_id
from core.db.row_locks import OfPlayerQuerySet
from players.accounts.models import User


class IdentityCheckQuerySet(OfPlayerQuerySet["IdentityCheck"]):
    def waiting(self) -> Self:
        return self.filter(state=IdentityCheck.State.SUBMITTED)

    def verified(self) -> Self:
        return self.filter(state=IdentityCheck.State.VERIFIED)

    def ever_verified(self) -> Self:
        return self.filter(state__in=[IdentityCheck.State.VERIFIED, IdentityCheck.State.EXPIRED])


class IdentityCheck(models.Model):
    """One submission of documents; a player without any has the state "none"."""

    class State(models.TextChoices):
        SUBMITTED = "submitted", _("Being checked")
        VERIFIED = "verified", _("Verified")
        REFUSED = "refused", _("Not accepted")
        EXPIRED = "expired", _("Expired")

    class DocumentKind(models.TextChoices):
        PASSPORT = "passport", _("Passport")
        DRIVING_LICENCE = "driving_licence", _("Driving licence")
        VOTER_ID = "voter_id", _("Voter ID")
        PAN_CARD = "pan_card", _("PAN card")

    class Ground(models.TextChoices):
        """Reasons for not accepting documents, shown to the player."""

        UNREADABLE = "unreadable", _("The document cannot be read.")
        NAME_DIFFERS = "name_differs", _("The name on the document is different.")
        BIRTH_DATE_DIFFERS = "birth_date_differs", _("The birth date on the document is different.")
        OUT_OF_DATE = "out_of_date", _("The document is out of date.")
        NOT_ACCEPTED = "not_accepted", _("We do not accept this document.")

    LONGEST_NAME: ClassVar = 100

    player = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="identity_checks")
    # As on the document.
    name = models.CharField(max_length=LONGEST_NAME)
    document_kind = models.CharField(max_length=15, choices=DocumentKind)
    state = models.CharField(max_length=9, choices=State, default=State.SUBMITTED)
    submitted_at = models.DateTimeField()
    decided_by = ProtectedForeignKey(
        settings.AUTH_USER_MODEL, null=True, related_name="+", db_index=False
    )
    # The provider that cleared the documents; empty if staff decided.
    decided_by_provider = models.CharField(max_length=20, default="", blank=True)
    decided_at = models.DateTimeField(null=True)
    ground = models.CharField(max_length=18, choices=Ground, default="", blank=True)
    expires_at = models.DateTimeField(null=True)

    objects = IdentityCheckQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        permissions: ClassVar[list[tuple[str, Any]]] = [
            ("decide_identitycheck", "Can decide identity checks")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["player"],
                condition=models.Q(state__in=["submitted", "verified"]),
                name="players_identitycheck_one_at_a_time",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    state="submitted",
                    decided_by=None,
                    decided_by_provider="",
                    decided_at=None,
                    expires_at=None,
                    ground="",
                )
                | models.Q(
                    state="refused",
                    decided_by__isnull=False,
                    decided_by_provider="",
                    decided_at__isnull=False,
                    expires_at=None,
                    ground__in=[
                        "unreadable",
                        "name_differs",
                        "birth_date_differs",
                        "out_of_date",
                        "not_accepted",
                    ],
                )
                | models.Q(
                    state__in=["verified", "expired"],
                    decided_at__isnull=False,
                    expires_at__isnull=False,
                    ground="",
                )
                & (
                    models.Q(decided_by__isnull=False, decided_by_provider="")
                    | models.Q(decided_by=None) & ~models.Q(decided_by_provider="")
                ),
                name="players_identitycheck_decided_by_somebody",
            ),
            models.CheckConstraint(
                condition=models.Q(decided_by=None) | ~models.Q(decided_by=models.F("player")),
                name="players_identitycheck_decided_by_another",
            ),
            models.CheckConstraint(
                condition=~models.Q(name=""), name="players_identitycheck_has_a_name"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self.get_state_display()}"


class IdentityDocument(models.Model):
    """One encrypted file of a check; its content is deleted at `delete_at`."""

    class MediaType(models.TextChoices):
        JPEG = "image/jpeg"
        PNG = "image/png"
        PDF = "application/pdf"

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    identity_check = ProtectedForeignKey(IdentityCheck, related_name="documents")
    media_type = models.CharField(max_length=15, choices=MediaType)
    size_bytes = models.PositiveIntegerField()
    # Encrypted with a key of IDENTITY_KEYS, bound to `public_id`; None after deletion.
    encrypted_content = models.BinaryField(null=True)
    # None while undecided and the account is open.
    delete_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["delete_at"],
                condition=models.Q(deleted_at=None),
                name="players_identitydocument_due",
            )
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(media_type__in=["image/jpeg", "image/png", "application/pdf"]),
                name="players_identitydocument_type_known",
            ),
            models.CheckConstraint(
                condition=models.Q(encrypted_content__isnull=False, deleted_at=None)
                | models.Q(encrypted_content=None, deleted_at__isnull=False),
                name="players_identitydocument_there_or_deleted",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.identity_check_id}: {self.media_type}, {self.size_bytes} bytes"


class TaxNumberQuerySet(models.QuerySet["TaxNumber"]):
    def former_of(self, player: User) -> Self:
        """Return the rows of closed accounts with the player's number."""
        mine = self.model.objects.filter(player=player).values("number_hash")
        return self.filter(number_hash__in=mine, released_at__isnull=False)


class TaxNumber(models.Model):
    """A player's tax number; unique among open accounts."""

    player = ProtectedOneToOneField(settings.AUTH_USER_MODEL, related_name="tax_number")
    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    # Encrypted with a key of IDENTITY_KEYS, bound to `public_id`.
    encrypted_content = models.BinaryField()
    number_hash = models.CharField(max_length=64)
    given_at = models.DateTimeField()
    # When the account was closed; the number may then be used for a new account.
    released_at = models.DateTimeField(null=True)

    objects = TaxNumberQuerySet.as_manager()

    class Meta:
        verbose_name = _("PAN")
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["number_hash"], name="players_taxnumber_hash")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["number_hash"],
                condition=models.Q(released_at=None),
                name="players_taxnumber_one_open_account",
            )
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self._meta.verbose_name}"
