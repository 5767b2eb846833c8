"""Players' blocks, and their reports about other players' conduct.

Both belong to players, not to tables, and are not distributed (docs/adr/0009).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.clock import CreatedAtField
from tables.models.deals import Deal
from tables.models.tables import Table


class BlockQuerySet(models.QuerySet["Block"]):
    def between(self, player_id: int, others: Iterable[int]) -> Self:
        """Blocks by this player of one of the others, and by one of the others of this player."""
        others = list(others)
        by = models.Q(player=player_id, blocked__in=others)
        return self.filter(by | models.Q(player__in=others, blocked=player_id))


class Block(models.Model):
    """A player does not want to meet another one; the blocked player is never notified."""

    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="blocks", db_index=False
    )
    blocked = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="blocked_by"
    )
    at = CreatedAtField()

    objects = BlockQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["player", "blocked"], name="tables_block_once"),
            models.CheckConstraint(
                condition=~models.Q(player=models.F("blocked")), name="tables_block_of_another"
            ),
        ]

    def __str__(self) -> str:
        return f"block of {self.blocked_id} by {self.player_id}"


class PlayerReportQuerySet(models.QuerySet["PlayerReport"]):
    def locked(self) -> Self:
        return self.select_for_update(no_key=True, of=("self",))

    def pending(self) -> Self:
        """Reports that staff have not decided."""
        return self.filter(outcome="")

    def of_player(self, player: models.Model) -> Self:
        """Reports that this player sent."""
        return self.filter(reporter=player)

    def shown_to(self, viewer: models.Model) -> Self:
        """Leave out reports about the viewer, who must not learn who reported them."""
        return self.exclude(reported=viewer)


class PlayerReport(models.Model):
    """A report about a player of the reporter's game, with the step at which it was sent."""

    class Kind(models.TextChoices):
        COLLUSION = "collusion", _("Playing for each other, or showing cards")
        DELAY = "delay", _("Delaying on purpose, or leaving again and again")
        OFFENCE = "offence", _("An offensive name, or annoying phrases")
        PROGRAM = "program", _("Playing with a program")
        ACCOUNTS = "accounts", _("Using several accounts")
        OTHER = "other", _("Something else")

    class Outcome(models.TextChoices):
        NO_BREACH = "no_breach", _("No breach of the rules")
        WARNED = "warned", _("Warning sent")
        RESTRICTED = "restricted", _("Account restricted")

    LONGEST: ClassVar[int] = 2_000

    reporter = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="sent_reports"
    )
    reported = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="reports_about"
    )
    # Tables may be on another server, so the database has no foreign key to them.
    table = models.ForeignKey(
        Table, on_delete=models.PROTECT, related_name="+", db_constraint=False
    )
    # The step: the deal after this many moves; no deal before the first one.
    deal = models.ForeignKey(
        Deal,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    ply = models.PositiveIntegerField(default=0)
    kind = models.CharField(max_length=9, choices=Kind)
    text = models.TextField(max_length=LONGEST)
    sent_at = models.DateTimeField()

    outcome = models.CharField(max_length=10, choices=Outcome, default="", blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    # For staff only.
    note = models.TextField(max_length=LONGEST, default="", blank=True)

    objects = PlayerReportQuerySet.as_manager()

    class Meta:
        verbose_name = "report about a player"
        verbose_name_plural = "reports about players"
        ordering: ClassVar[list[str]] = ["-sent_at", "-pk"]
        permissions: ClassVar[list[tuple[str, Any]]] = [
            ("decide_playerreport", "Can decide reports about players"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["reporter", "reported", "table"],
                condition=models.Q(outcome=""),
                name="tables_playerreport_one_pending",
            ),
            models.CheckConstraint(
                condition=~models.Q(reporter=models.F("reported")) & ~models.Q(text=""),
                name="tables_playerreport_about_another",
            ),
            models.CheckConstraint(
                condition=models.Q(deal__isnull=False) | models.Q(ply=0),
                name="tables_playerreport_step_of_a_deal",
            ),
            models.CheckConstraint(
                condition=models.Q(outcome="", decided_by=None, decided_at=None, note="")
                | (
                    ~models.Q(outcome="")
                    & ~models.Q(note="")
                    & models.Q(decided_by__isnull=False, decided_at__isnull=False)
                ),
                name="tables_playerreport_decided_whole",
            ),
            models.CheckConstraint(
                condition=models.Q(decided_by=None)
                | (
                    ~models.Q(decided_by=models.F("reporter"))
                    & ~models.Q(decided_by=models.F("reported"))
                ),
                name="tables_playerreport_decided_by_another",
            ),
        ]

    def __str__(self) -> str:
        return gettext("report %(number)s") % {"number": self.pk}
