"""Cases: work for staff, with notes and the messages between staff and the player.

A case refers to its subject by model and key, as the audit log does. The subject's own state
decides whether the case is open.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from core.clock import CreatedAtField
from core.db.identifiers import ProtectedForeignKey, ProtectedOneToOneField, new_public_id
from core.db.row_locks import LockableQuerySet, OfPlayerQuerySet

# The model of messages to support, whose cases players open themselves.
HELP: Final = "players.helprequest"


class CaseQuerySet(LockableQuerySet["Case"]):
    def shown_to(self, player: models.Model) -> Self:
        """Return the cases that the player opened, or in which staff have written to them."""
        written = Remark.objects.filter(case=models.OuterRef("pk"), kind=Remark.Kind.MESSAGE)
        return self.filter(models.Exists(written) | models.Q(kind=HELP), player=player)

    def answered_by_player(self) -> Self:
        """Return the cases whose last remark is the player's."""
        remarks = Remark.objects.filter(case=models.OuterRef("pk")).order_by("-pk")
        return self.alias(last=models.Subquery(remarks.values("kind")[:1])).filter(
            last=Remark.Kind.REPLY
        )


class Case(models.Model):
    """Owner, priority and due time of a piece of work. Created when staff first act on it."""

    class Priority(models.IntegerChoices):
        URGENT = 1, _("Urgent")
        HIGH = 2, _("High")
        NORMAL = 3, _("Normal")
        LOW = 4, _("Low")

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    # Model label ("tables.dispute") and primary key, as in the audit log.
    kind = models.CharField(max_length=60)
    row = models.BigIntegerField()
    # Name of the subject when the case was created, in English.
    name = models.CharField(max_length=200)
    # The player whom staff write to, if the case is about one player.
    player = ProtectedForeignKey(settings.AUTH_USER_MODEL, null=True, related_name="cases")
    owner = ProtectedForeignKey(
        settings.AUTH_USER_MODEL, null=True, related_name="+", db_index=False
    )
    priority = models.PositiveSmallIntegerField(choices=Priority, default=Priority.NORMAL)
    # None: the default of the case's kind.
    due_at = models.DateTimeField(null=True)
    made_at = CreatedAtField()

    objects = CaseQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["kind", "row"], name="players_case_once"),
            models.CheckConstraint(
                condition=models.Q(priority__in=[1, 2, 3, 4]), name="players_case_priority_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name


# The model's name, which the audit log shows; the admin has no list from which it is collected.
gettext_noop("remark")


class Remark(models.Model):
    """One text on a case: a note for staff, or a message to or from the player. Append-only."""

    class Kind(models.TextChoices):
        NOTE = "note", _("Note for staff")
        MESSAGE = "message", _("Message to the player")
        REPLY = "reply", _("Message from the player")

    LONGEST: ClassVar[int] = 2_000

    case = ProtectedForeignKey(Case, related_name="remarks")
    kind = models.CharField(max_length=7, choices=Kind)
    by = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="+")
    at = models.DateTimeField()
    text = models.TextField(max_length=LONGEST)

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(kind__in=["note", "message", "reply"]),
                name="players_remark_kind_known",
            ),
            models.CheckConstraint(
                condition=~models.Q(text=""), name="players_remark_says_something"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} on {self.case}"


class CannedAnswerQuerySet(models.QuerySet["CannedAnswer"]):
    def offered(self) -> Self:
        return self.filter(is_offered=True)


class CannedAnswer(models.Model):
    """An answer that staff often send, in English and Hindi."""

    title = models.CharField(max_length=80, unique=True)
    english = models.TextField(max_length=Remark.LONGEST)
    hindi = models.TextField(max_length=Remark.LONGEST)
    is_offered = models.BooleanField(default=True)

    objects = CannedAnswerQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["title"]

    def __str__(self) -> str:
        return self.title

    def text_in(self, language: str) -> str:
        """Return the text in a language: Hindi for "hi" codes, else English."""
        return self.hindi if language.startswith("hi") else self.english


class AskedQuerySet(OfPlayerQuerySet[Any]):
    def unanswered(self) -> Self:
        return self.filter(answered_at=None)


class Asked(models.Model):
    """A text for staff with a case: immutable, and answered once, by a message on the case."""

    asked_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = ProtectedForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, related_name="+", db_index=False
    )

    objects = AskedQuerySet.as_manager()

    class Meta:
        abstract = True
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(answered_at=None, answered_by=None)
                | models.Q(answered_at__isnull=False, answered_by__isnull=False),
                name="%(app_label)s_%(class)s_answered_by_somebody",
            ),
        ]


class DataRequest(Asked):
    """One request. Its text is immutable; it is answered once, by a message on its case."""

    class About(models.TextChoices):
        HANDLE = "handle", _("Correct my player name")
        BIRTH_DATE = "birth_date", _("Correct my birth date")
        PLACE = "place", _("Correct where I live")
        TAX_NUMBER = "tax_number", _("Correct my PAN")
        NAME = "name", _("Correct my name as on the documents")
        OTHER = "other", _("Correct something else")
        DELETION = "deletion", _("Delete some of my data")

    LONGEST: ClassVar[int] = 1_000

    player = ProtectedForeignKey(
        settings.AUTH_USER_MODEL, related_name="data_requests", db_index=False
    )
    about = models.CharField(max_length=10, choices=About)
    text = models.TextField(max_length=LONGEST)

    class Meta(Asked.Meta):
        verbose_name = "request about own data"
        verbose_name_plural = "requests about own data"
        permissions: ClassVar[list[tuple[str, Any]]] = [
            ("answer_datarequest", "Can answer requests about own data"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["player"], name="players_datarequest_of_player"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["player", "about"],
                condition=models.Q(answered_at=None),
                name="players_datarequest_once_until_answered",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    about__in=[
                        "handle",
                        "birth_date",
                        "place",
                        "tax_number",
                        "name",
                        "other",
                        "deletion",
                    ]
                ),
                name="players_datarequest_about_known",
            ),
            models.CheckConstraint(
                condition=~models.Q(text=""), name="players_datarequest_says_something"
            ),
            *Asked.Meta.constraints,
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self.get_about_display()}"


class HelpRequest(Asked):
    """One message to support, which opens a case.

    Its text is immutable; it is answered once, by a message on its case, where both may go on
    writing.
    """

    LONGEST: ClassVar[int] = Remark.LONGEST

    player = ProtectedForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        related_name="help_requests",
        db_index=False,
    )
    # Where a visitor, or a guest without an address of their own, gets the answer.
    email = models.EmailField(blank=True, default="")
    language = models.CharField(max_length=8)
    subject = models.CharField(max_length=120)
    text = models.TextField(max_length=LONGEST)
    # The public id of one of the player's transfers, and its name when it was attached.
    about = models.UUIDField(null=True, blank=True)
    about_name = models.CharField(max_length=200, blank=True, default="")

    class Meta(Asked.Meta):
        verbose_name = "message to support"
        verbose_name_plural = "messages to support"
        permissions: ClassVar[list[tuple[str, Any]]] = [
            ("answer_helprequest", "Can answer messages to support"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["player"], name="players_helprequest_of_player"),
            models.Index(
                fields=["email"], condition=~models.Q(email=""), name="players_helprequest_of_email"
            ),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(player__isnull=False) | ~models.Q(email=""),
                name="players_helprequest_can_be_answered",
            ),
            models.CheckConstraint(
                condition=models.Q(about=None) | models.Q(player__isnull=False),
                name="players_helprequest_attaches_own",
            ),
            models.CheckConstraint(
                condition=~models.Q(text="") & ~models.Q(subject=""),
                name="players_helprequest_says_something",
            ),
            *Asked.Meta.constraints,
        ]

    def __str__(self) -> str:
        return self.subject


class RemarkEmail(models.Model):
    """An e-mail with a message of staff to an address that no account has verified."""

    remark = ProtectedOneToOneField(Remark, related_name="email")
    request = ProtectedForeignKey(HelpRequest, related_name="+")
    created_at = CreatedAtField()
    sent_at = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["id"], condition=models.Q(sent_at=None), name="players_remarkemail_unsent"
            ),
        ]

    def __str__(self) -> str:
        return f"e-mail with {self.remark}"
