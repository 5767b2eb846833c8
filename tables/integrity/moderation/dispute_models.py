"""A player's complaint about a finished deal, and its handling by staff."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.db.identifiers import new_public_id
from tables.models.deals import Deal
from tables.models.seats import Seat


class DisputeQuerySet(models.QuerySet["Dispute"]):
    def locked(self) -> Self:
        return self.select_for_update(no_key=True, of=("self",))

    def pending(self) -> Self:
        """Disputes that still await an answer."""
        return self.filter(status__in=Dispute.PENDING)

    def of_player(self, player: models.Model) -> Self:
        return self.filter(seat__player=player)


class Dispute(models.Model):
    """Opened at one step of a deal; stores the deal's history file as of then."""

    class Category(models.TextChoices):
        CARDS = "cards", _("The cards or the shuffle")
        CLOCK = "clock", _("The clock or my connection")
        SCORE = "score", _("The score or a show")
        MONEY = "money", _("The money")
        OTHER = "other", _("Something else")

    class Status(models.TextChoices):
        OPEN = "open", _("Open")
        ASSIGNED = "assigned", _("Being reviewed")
        ANSWERED = "answered", _("Answered")
        CLOSED = "closed", _("Closed")

    PENDING: ClassVar[tuple[str, ...]] = ("open", "assigned")
    LONGEST: ClassVar[int] = 2_000

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    # The complainant's seat; the deal may be any of its table's.
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="disputes")
    deal = models.ForeignKey(Deal, on_delete=models.PROTECT, related_name="disputes")
    # The step it was opened at: the deal after this many moves.
    ply = models.PositiveIntegerField()
    category = models.CharField(max_length=7, choices=Category)
    text = models.TextField(max_length=LONGEST)
    # The history file at that time, and the SHA-256 of its UTF-8 bytes in hex.
    evidence = models.TextField()
    evidence_sha256 = models.CharField(max_length=64)
    opened_at = models.DateTimeField()

    status = models.CharField(max_length=8, choices=Status, default=Status.OPEN)
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="assigned_disputes",
    )
    answer = models.TextField(max_length=LONGEST, default="", blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = DisputeQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-opened_at", "-pk"]
        permissions: ClassVar[list[tuple[str, Any]]] = [
            ("answer_dispute", "Can take, answer and close disputes"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["seat", "deal"],
                condition=models.Q(status__in=["open", "assigned"]),
                name="tables_dispute_one_pending",
            ),
            models.CheckConstraint(
                condition=~models.Q(text="") & ~models.Q(evidence=""),
                name="tables_dispute_says_something",
            ),
            models.CheckConstraint(
                condition=models.Q(status="open", assignee__isnull=True)
                | (~models.Q(status="open") & models.Q(assignee__isnull=False)),
                name="tables_dispute_assigned_to_somebody",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    status__in=["open", "assigned"], answer="", answered_at__isnull=True
                )
                | (
                    models.Q(status__in=["answered", "closed"], answered_at__isnull=False)
                    & ~models.Q(answer="")
                ),
                name="tables_dispute_answered_in_words",
            ),
            models.CheckConstraint(
                condition=models.Q(status="closed", closed_at__isnull=False)
                | (~models.Q(status="closed") & models.Q(closed_at__isnull=True)),
                name="tables_dispute_closed_has_a_time",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["opened_at"],
                condition=models.Q(status__in=["open", "assigned"]),
                name="tables_dispute_pending",
            ),
        ]

    def __str__(self) -> str:
        return gettext("dispute %(code)s") % {"code": str(self.public_id)[-6:]}
