"""What is fixed about a tournament before anybody registers; templates and tournaments share it."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from tables.models.profiles import RuleProfile
from wallet.ledger.money import MoneyProperty


class NoShow(models.TextChoices):
    """What happens to an entrant who has not checked in at the start (RB 10.4)."""

    REFUND = "refund", "Seat released, entry back"
    AUTO_DROP = "auto_drop", "Seated, dropped every deal"


class StartRule(models.TextChoices):
    SCHEDULED = "scheduled", "At its time"
    WHEN_FULL = "when_full", "As soon as it is full"


class Terms(models.Model):
    """The rules, the plan and the money of a tournament (RB 10)."""

    name = models.CharField(max_length=80)
    profile = models.ForeignKey(RuleProfile, on_delete=models.PROTECT, related_name="+")
    start_rule = models.CharField(max_length=9, choices=StartRule, default=StartRule.SCHEDULED)
    # Seats of a table, how many qualify from each, and seats of the final (RB 10.1, 10.2).
    seats = models.PositiveSmallIntegerField(default=6)
    qualify = models.PositiveSmallIntegerField(default=2)
    final_seats = models.PositiveSmallIntegerField(default=6)
    entrants_max = models.PositiveIntegerField()
    # Fewer than these cancel it; null for max(2, ceil(maximum / 4)) (RB 10.4).
    entrants_min = models.PositiveIntegerField(null=True, blank=True)

    entry_minor = models.BigIntegerField()
    rake_bps = models.PositiveIntegerField(default=0)
    currency = models.CharField(max_length=3, default="PTS")
    guarantee_minor = models.BigIntegerField(default=0)
    # Basis points of the pool by place; empty for the rulebook's rows (RB 10.3).
    prize_bps = ArrayField(models.PositiveIntegerField(), default=list, blank=True)

    rejoins = models.BooleanField(default=False, help_text="Rejoins at the tables of round 1.")
    no_show = models.CharField(max_length=9, choices=NoShow, default=NoShow.AUTO_DROP)
    # How long before the start check-in opens; 0 for none.
    check_in_minutes = models.PositiveSmallIntegerField(default=0)
    # How long after the start late entrants may fill whole new tables; 0 for no late entry.
    late_minutes = models.PositiveSmallIntegerField(default=0)
    # By how much the start is put off, once, when too few have come; 0 for not at all.
    extend_minutes = models.PositiveSmallIntegerField(default=0)
    # No new deal after this; null for no limit.
    round_minutes = models.PositiveSmallIntegerField(null=True, blank=True)
    # Practice: bots take the places nobody wanted.
    bots_fill = models.BooleanField(default=False)

    class Meta:
        abstract = True
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(
                    seats__gte=2,
                    seats__lte=6,
                    qualify__gte=1,
                    qualify__lt=models.F("seats"),
                    final_seats__gte=2,
                    final_seats__lte=models.F("seats"),
                    entrants_max__gte=2,
                ),
                name="%(app_label)s_%(class)s_plan",
            ),
            models.CheckConstraint(
                condition=models.Q(entry_minor__gt=0, guarantee_minor__gte=0, rake_bps__lt=10_000),
                name="%(app_label)s_%(class)s_money",
            ),
            models.CheckConstraint(
                condition=models.Q(bots_fill=False) | models.Q(currency="PTS"),
                name="%(app_label)s_%(class)s_bots_play_for_points",
            ),
        ]

    entry = MoneyProperty("entry_minor")
    guarantee = MoneyProperty("guarantee_minor")

    @property
    def least_entrants(self) -> int:
        """The fewest entrants it is played with; with fewer it is cancelled (RB 10.4)."""
        return self.entrants_min or max(2, -(-self.entrants_max // 4))

    @property
    def has_check_in(self) -> bool:
        return self.check_in_minutes > 0 and self.start_rule == StartRule.SCHEDULED
