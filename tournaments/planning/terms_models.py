"""The terms of a tournament, which are fixed when it opens; templates have the same fields."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy

from tables.models.templates import RuleProfile
from wallet.ledger.money import MoneyProperty


class NoShow(models.TextChoices):
    """The treatment of entrants who have not checked in by the start (RB 10.4)."""

    REFUND = "refund", gettext_lazy("Seat released, entry refunded")
    AUTO_DROP = "auto_drop", gettext_lazy("Seated, dropped in every deal")


class StartRule(models.TextChoices):
    SCHEDULED = "scheduled", gettext_lazy("At a set time")
    WHEN_FULL = "when_full", gettext_lazy("When full")


class KindName(models.TextChoices):
    """The kinds of `tournaments.kinds`: how entrants advance, and when a tournament is over."""

    KNOCKOUT = "knockout", gettext_lazy("Knock-out in rounds")
    SHOOTOUT = "shootout", gettext_lazy("Shoot-out: the winner of each table advances")
    BALANCED = "balanced", gettext_lazy("Knock-out with balanced tables")
    RACE = "race", gettext_lazy("Points race against the clock")


class Terms(models.Model):
    """The rules, plan, prices and times of a tournament (RB 10)."""

    name = models.CharField(max_length=80)
    profile = models.ForeignKey(RuleProfile, on_delete=models.PROTECT, related_name="+")
    start_rule = models.CharField(max_length=9, choices=StartRule, default=StartRule.SCHEDULED)
    # How entrants advance and when the tournament is over (RB 10.8 to 10.10).
    kind = models.CharField(max_length=8, choices=KindName, default=KindName.KNOCKOUT)
    # Seats of a table, qualifiers of each table, and seats of the final (RB 10.1, 10.2).
    seats = models.PositiveSmallIntegerField(default=6)
    qualify = models.PositiveSmallIntegerField(default=2)
    final_seats = models.PositiveSmallIntegerField(default=6)
    entrants_max = models.PositiveIntegerField()
    # With fewer it is cancelled; null for max(2, ceil(maximum / 4)) (RB 10.4).
    entrants_min = models.PositiveIntegerField(null=True, blank=True)

    # 0 in a freeroll, whose prizes the guarantee pays (RB 10.12).
    entry_minor = models.BigIntegerField()
    rake_bps = models.PositiveIntegerField(default=0)
    currency = models.CharField(max_length=3, default="PTS")
    guarantee_minor = models.BigIntegerField(default=0)
    # Basis points of the pool by place; empty for the rulebook's rows (RB 10.3).
    prize_bps = ArrayField(models.PositiveIntegerField(), default=list, blank=True)

    rejoins = models.BooleanField(
        default=False, help_text="Allow rejoins at the tables of round 1."
    )
    # More payments of an entrant (RB 10.6). Minutes after the start in which rejoins are sold;
    # null for all of round 1.
    rejoin_minutes = models.PositiveSmallIntegerField(null=True, blank=True)
    # Re-entries of each player while late entry is open.
    reentries_max = models.PositiveSmallIntegerField(default=0)
    # The add-on: its price, its chips, and the minutes of the break after round 1; all 0 for none.
    addon_minor = models.BigIntegerField(default=0)
    addon_chips = models.PositiveIntegerField(default=0)
    addon_minutes = models.PositiveSmallIntegerField(default=0)
    # Hash of the password that registration asks for; empty for none. No page or API shows it.
    password_hash = models.CharField(max_length=128, default="", blank=True, editable=False)

    no_show = models.CharField(max_length=9, choices=NoShow, default=NoShow.AUTO_DROP)
    # Minutes before the start at which check-in opens; 0 for no check-in.
    check_in_minutes = models.PositiveSmallIntegerField(default=0)
    # Minutes after the start in which late entrants may fill new tables; 0 for no late entry.
    late_minutes = models.PositiveSmallIntegerField(default=0)
    # Minutes by which the start is delayed, once, with too few entrants; 0 for no delay.
    extend_minutes = models.PositiveSmallIntegerField(default=0)
    # Minutes of a round, or of a whole race, after which no new deal begins; null for no limit.
    round_minutes = models.PositiveSmallIntegerField(null=True, blank=True)
    # Practice: bots fill the free places.
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
                condition=models.Q(entry_minor__gte=0, guarantee_minor__gte=0, rake_bps__lt=10_000),
                name="%(app_label)s_%(class)s_money",
            ),
            models.CheckConstraint(
                condition=models.Q(entry_minor__gt=0)
                | models.Q(guarantee_minor__gt=0, rejoins=False, addon_minor=0),
                name="%(app_label)s_%(class)s_free_is_guaranteed",
            ),
            models.CheckConstraint(
                condition=models.Q(bots_fill=False) | models.Q(currency="PTS"),
                name="%(app_label)s_%(class)s_bots_play_for_points",
            ),
            models.CheckConstraint(
                condition=models.Q(addon_minor=0, addon_chips=0, addon_minutes=0)
                | models.Q(addon_minor__gt=0, addon_chips__gt=0, addon_minutes__gt=0),
                name="%(app_label)s_%(class)s_addon_whole",
            ),
        ]

    entry = MoneyProperty("entry_minor")
    guarantee = MoneyProperty("guarantee_minor")
    addon = MoneyProperty("addon_minor")

    @property
    def least_entrants(self) -> int:
        """Return the minimum of entrants; with fewer it is cancelled (RB 10.4)."""
        return self.entrants_min or max(2, -(-self.entrants_max // 4))

    @property
    def has_check_in(self) -> bool:
        return self.check_in_minutes > 0 and self.start_rule == StartRule.SCHEDULED
