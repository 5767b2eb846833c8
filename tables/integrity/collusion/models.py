"""Findings of possible collusion by two players, their figures, and decisions by staff."""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.db.row_locks import LockableQuerySet
from core.maker_checker import Checked
from players.accounts.models import User
from tables.models.deals import Deal
from tables.models.seats import Seat
from tables.models.tables import Table
from wallet.corrections.models import Restitution


class FindingQuerySet(LockableQuerySet["Finding"]):
    def undecided(self) -> Self:
        return self.filter(status=Finding.Status.OPEN)

    def shown_to(self, viewer: User) -> Self:
        """Findings that do not concern the viewer, their group, or a table they sat at."""
        own = Finding.objects.filter(models.Q(one=viewer) | models.Q(other=viewer))
        same = own.filter(
            currency=models.OuterRef("currency"),
            first_day=models.OuterRef("first_day"),
            group_key=models.OuterRef("group_key"),
        )
        beside = Seat.objects.filter(table=models.OuterRef("table"))
        shared = Seat.objects.filter(
            models.Exists(beside.filter(player=models.OuterRef(models.OuterRef("one")))),
            models.Exists(beside.filter(player=models.OuterRef(models.OuterRef("other")))),
            player=viewer,
        )
        return self.exclude(models.Exists(same)).exclude(models.Exists(shared))


class Finding(models.Model):
    """Two players in a span of days, with counted figures; not an accusation."""

    class Status(models.TextChoices):
        OPEN = "open", _("Open")
        DISMISSED = "dismissed", _("Dismissed")
        UPHELD = "upheld", _("Upheld")

    # The lower key first, so that a pair has one order.
    one = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    other = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    currency = models.CharField(max_length=3)
    first_day = models.DateField()
    last_day = models.DateField()
    # The lowest player key of a group: pairs of one span that are linked by common players.
    group_key = models.BigIntegerField()
    # The number of figures tested, and the threshold that followed from it.
    tests = models.PositiveIntegerField()
    threshold = models.FloatField()
    found_at = models.DateTimeField()
    status = models.CharField(max_length=9, choices=Status, default=Status.OPEN)

    objects = FindingQuerySet.as_manager()

    class Meta:
        verbose_name = "finding of collusion"
        verbose_name_plural = "findings of collusion"
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["one", "other", "currency", "first_day"],
                name="tables_finding_once_a_pair_and_span",
            ),
            models.CheckConstraint(
                condition=models.Q(one__lt=models.F("other")),
                name="tables_finding_lower_key_first",
            ),
            models.CheckConstraint(
                condition=models.Q(first_day__lte=models.F("last_day")),
                name="tables_finding_days_in_order",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["found_at"],
                condition=models.Q(status="open"),
                name="tables_finding_undecided",
            ),
        ]

    def __str__(self) -> str:
        names = {"one": self.one, "other": self.other}
        days = {"first": self.first_day, "last": self.last_day}
        return gettext("%(one)s and %(other)s, %(first)s to %(last)s") % {**names, **days}


class FindingFact(models.Model):
    """One figure of a pair, beside their usual rate and the base rate of all players."""

    class Kind(models.TextChoices):
        LOST = "lost", _("Deals not won with the other dealt in")
        DROPS = "drops", _("Drops in deals the other won")
        POINTS = "points", _("Points lost in deals the other won")
        FED = "fed", _("Discards the other took")
        JOINED = "joined", _("Tables joined within ten seconds")
        NETWORK = "network", _("Tables joined from one network")
        DEVICE = "device", _("Tables joined from one device")

    # The other kinds are also high for households and friends, and are no evidence by themselves.
    OF_PLAY: ClassVar[tuple[str, ...]] = ("lost", "drops", "points", "fed")

    finding = models.ForeignKey(
        Finding, on_delete=models.PROTECT, related_name="facts", db_index=False
    )
    kind = models.CharField(max_length=7, choices=Kind)
    # Whose losses, drops or discards are counted; null if it is both players' together.
    giver = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    seen = models.IntegerField()
    cases = models.PositiveIntegerField()
    # The expected rate of the two; null if only the base rate is compared.
    expected = models.FloatField(null=True, blank=True)
    base_seen = models.BigIntegerField()
    base_cases = models.PositiveBigIntegerField()
    # Distance above the expected rate, in standard deviations over all pairs.
    z = models.FloatField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["finding", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["finding", "kind", "giver"],
                nulls_distinct=False,
                name="tables_findingfact_once",
            ),
        ]

    def __str__(self) -> str:
        names = {"kind": self.get_kind_display(), "seen": self.seen, "cases": self.cases}
        return gettext("%(kind)s: %(seen)s of %(cases)s") % names


class FindingDecision(Checked):
    """One member of staff's request about a finding, approved or rejected by another."""

    class Outcome(models.TextChoices):
        DISMISS = "dismiss", _("Dismiss")
        UPHOLD = "uphold", _("Uphold: void prizes and refund victims")

    finding = models.ForeignKey(Finding, on_delete=models.PROTECT, related_name="decisions")
    outcome = models.CharField(max_length=7, choices=Outcome)
    reason = models.CharField(max_length=200)
    # The money that it moves; null if none.
    restitution = models.OneToOneField(
        Restitution, on_delete=models.PROTECT, null=True, blank=True, related_name="decision"
    )

    class Meta(Checked.Meta):
        permissions = (("check_findingdecision", "Can approve and reject decisions on findings"),)
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *Checked.Meta.constraints,
            models.UniqueConstraint(
                fields=["finding"],
                condition=~models.Q(status="rejected"),
                name="tables_findingdecision_one_stands",
            ),
            models.CheckConstraint(
                condition=~models.Q(reason=""), name="tables_findingdecision_has_a_reason"
            ),
            models.CheckConstraint(
                condition=models.Q(outcome="uphold") | models.Q(restitution__isnull=True),
                name="tables_findingdecision_dismissed_moves_nothing",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_outcome_display()}: {self.finding}"


class VoidedPrize(models.Model):
    """A game, a deal of a points table or a tournament whose prize one decision has voided."""

    decision = models.ForeignKey(
        FindingDecision, on_delete=models.PROTECT, related_name="voided_prizes"
    )
    table = models.ForeignKey(
        Table, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    deal = models.ForeignKey(
        Deal, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    # The id that a tournament's application gives it (`Contest.game`).
    game = models.CharField(max_length=80, blank=True, default="")

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["table", "deal", "game"],
                nulls_distinct=False,
                name="tables_voidedprize_once",
            ),
            models.CheckConstraint(
                condition=models.Q(table__isnull=False, game="")
                | models.Q(table=None, deal=None) & ~models.Q(game=""),
                name="tables_voidedprize_of_one_game",
            ),
        ]

    def __str__(self) -> str:
        return str(self.deal or self.table or self.game)
