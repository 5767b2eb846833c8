"""Rules profiles, and templates of the tables that the lobby offers: seats, price and rake."""

from __future__ import annotations

from typing import ClassVar, Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from core.clock import CreatedAtField
from core.db.row_locks import LockableQuerySet
from wallet.ledger.money import MoneyProperty


class BotStrength(models.TextChoices):
    """How well practice bots play; the values are those of `rummy.bots`."""

    RANDOM = "random", _("random")
    GREEDY = "greedy", _("greedy")
    STRONG = "strong", _("strong")


class RuleProfile(models.Model):
    """One version of a set of rules, never edited: a table keeps the version it was opened with."""

    name = models.CharField(max_length=60)
    version = models.PositiveIntegerField()
    # `rummy.Rules.to_text()`, parsed again by `rummy.Rules.from_text()`.
    text = models.TextField()
    sha256 = models.CharField(max_length=64, unique=True)
    created_at = CreatedAtField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["name", "version"], name="tables_ruleprofile_version_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"


class TableTemplateQuerySet(LockableQuerySet["TableTemplate"]):
    def offered(self) -> Self:
        return self.filter(is_offered=True)

    def without_bots(self) -> Self:
        return self.filter(bots_fill=False)


class NetworkRule(models.TextChoices):
    """What happens when two players of one network sit at one table."""

    FLAG = "flag", _("Flag for review")
    REFUSE = "refuse", _("Refuse the second player")


class TableTemplate(models.Model):
    """A kind of table of which the lobby always offers an open one."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=60)
    profile = models.ForeignKey(RuleProfile, on_delete=models.PROTECT, related_name="templates")
    seats_max = models.PositiveSmallIntegerField(default=6)
    # A game starts when this many players are seated and the start countdown is over.
    seats_min = models.PositiveSmallIntegerField(default=2)
    # Points tables: the smallest sit-in, the cap times the value of a point (RB 8.1).
    entry_minor = models.BigIntegerField()
    # Points tables: the value of one point; 0 in every other game.
    point_value_minor = models.BigIntegerField(default=0)
    currency = models.CharField(max_length=3, default="PTS")
    rake_bps = models.PositiveIntegerField(default=0)
    # Practice tables: bots take the free seats once a player has sat down.
    bots_fill = models.BooleanField(default=False)
    bot_strength = models.CharField(max_length=6, choices=BotStrength, default=BotStrength.GREEDY)
    is_offered = models.BooleanField(default=True)
    # Mobile carriers and households share addresses, so the default is a review by staff.
    same_network = models.CharField(max_length=6, choices=NetworkRule, default=NetworkRule.FLAG)

    objects = TableTemplateQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(
                    seats_min__gte=2, seats_max__lte=6, seats_min__lte=models.F("seats_max")
                ),
                name="tables_tabletemplate_seats_two_to_six",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    entry_minor__gt=0, rake_bps__lt=10_000, point_value_minor__gte=0
                ),
                name="tables_tabletemplate_entry_and_rake",
            ),
            models.CheckConstraint(
                condition=models.Q(bots_fill=False) | models.Q(currency="PTS"),
                name="tables_tabletemplate_bots_play_for_points",
            ),
            models.CheckConstraint(
                condition=models.Q(bot_strength__in=BotStrength.values),
                name="tables_tabletemplate_bot_strength_known",
            ),
            models.CheckConstraint(
                condition=models.Q(same_network__in=NetworkRule.values),
                name="tables_tabletemplate_same_network_known",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    entry = MoneyProperty("entry_minor")
