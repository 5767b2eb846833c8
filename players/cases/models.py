"""What staff note about a thing that waits for them, and what they and its player write there.

A case points at the thing by its model and key, as the audit log does. Whether it is open, the
thing itself says.
"""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.clock import CreatedAtField
from core.db.identifiers import new_public_id


class CaseQuerySet(models.QuerySet["Case"]):
    def locked(self) -> Self:
        return self.select_for_update(no_key=True, of=("self",)).order_by("pk")

    def answered_by_player(self) -> Self:
        """Return those whose last word is the player's."""
        remarks = Remark.objects.filter(case=models.OuterRef("pk")).order_by("-pk")
        return self.alias(last=models.Subquery(remarks.values("kind")[:1])).filter(
            last=Remark.Kind.REPLY
        )


class Case(models.Model):
    """Whose work a thing is, how urgent and until when. Made when staff first touch it."""

    class Priority(models.IntegerChoices):
        URGENT = 1, _("Urgent")
        HIGH = 2, _("High")
        NORMAL = 3, _("Normal")
        LOW = 4, _("Low")

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    # As in the audit log: "tables.dispute", and its key.
    kind = models.CharField(max_length=60)
    row = models.BigIntegerField()
    # What it was called then, in English.
    name = models.CharField(max_length=200)
    # Whom staff write to, where it is one player's.
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="cases",
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
    )
    priority = models.PositiveSmallIntegerField(choices=Priority, default=Priority.NORMAL)
    # None: as the kind of thing promises.
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


class Remark(models.Model):
    """One text on a case: for staff alone, to the player, or from the player. Append-only."""

    class Kind(models.TextChoices):
        NOTE = "note", _("Note for staff")
        MESSAGE = "message", _("Message to the player")
        REPLY = "reply", _("Message from the player")

    LONGEST: ClassVar[int] = 2_000

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="remarks")
    kind = models.CharField(max_length=7, choices=Kind)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
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
    """An answer that staff give often, in each language of the players."""

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
        """Return the text in the language of a player."""
        return self.hindi if language.startswith("hi") else self.english
