"""Messages to support, from players and from visitors who leave an e-mail address."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models

from core.clock import CreatedAtField
from core.db.identifiers import ProtectedForeignKey, ProtectedOneToOneField
from players.cases.models import Asked, Remark


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
