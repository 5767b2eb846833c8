"""Tournaments: state machines with one timer each, like tables (RB 10)."""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, gettext_lazy

from core.clock import CreatedAtField, Moment
from core.db.identifiers import new_public_id
from tournaments.planning.template_models import TournamentTemplate
from tournaments.planning.terms_models import Terms
from wallet.ledger.models import Account


class TournamentQuerySet(models.QuerySet["Tournament"]):
    def locked(self, *, skip_locked: bool = False) -> Self:
        query = self.select_for_update(no_key=True, of=("self",), skip_locked=skip_locked)
        return query.select_related("profile").order_by("pk")

    def shown(self) -> Self:
        return self.exclude(state=Tournament.State.DRAFT)

    def live(self) -> Self:
        return self.exclude(state__in=Tournament.OVER)

    def by_state(self) -> dict[str, int]:
        """Return the number of these tournaments by state."""
        return dict(self.order_by().values_list("state").annotate(models.Count("pk")))

    def clock_due(self, now: Moment) -> Self:
        return self.filter(due_at__lte=now).order_by("due_at")


class Tournament(Terms):
    class State(models.TextChoices):
        DRAFT = "draft", gettext_lazy("Draft")
        ANNOUNCED = "announced", gettext_lazy("Announced")
        REGISTERING = "registering", gettext_lazy("Registration open")
        CHECK_IN = "check_in", gettext_lazy("Check-in")
        RUNNING = "running", gettext_lazy("Running")
        FINISHED = "finished", gettext_lazy("Finished")
        CANCELLED = "cancelled", gettext_lazy("Cancelled")
        ABORTED = "aborted", gettext_lazy("Aborted")

    OVER: ClassVar[tuple[str, ...]] = ("finished", "cancelled", "aborted")

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    template = models.ForeignKey(
        TournamentTemplate,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="tournaments",
        db_index=False,
    )
    # Copied from the template: the kind of tournament to which its prizes are tickets.
    awards = models.ForeignKey(
        TournamentTemplate, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    state = models.CharField(max_length=11, choices=State, default=State.DRAFT)
    version = models.PositiveBigIntegerField(default=0)
    # The timer: the time of the next state change; outages since `armed_at` are added to it.
    due_at = models.DateTimeField(null=True, blank=True)
    armed_at = models.DateTimeField(null=True, blank=True)

    # Its start in the template's calendar, which a delay does not change. Null if staff opened it.
    slot_at = models.DateTimeField(null=True, blank=True, editable=False)
    announces_at = models.DateTimeField(null=True, blank=True)
    registers_at = models.DateTimeField(null=True, blank=True)
    # Null for a sit-and-go, which starts when it is full.
    starts_at = models.DateTimeField(null=True, blank=True)
    was_extended = models.BooleanField(default=False)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    round_no = models.PositiveSmallIntegerField(default=0)

    escrow_account = models.OneToOneField(
        Account, on_delete=models.PROTECT, related_name="tournament"
    )
    # Hex SHA-256 of the draw's seed, published with this row; the seed is published with the draw.
    commitment = models.CharField(max_length=64)
    revealed_seed = models.CharField(max_length=64, default="", blank=True)

    # Set when round 1 closes; the prize pool and the prizes do not change after that (RB 10.3).
    frozen_at = models.DateTimeField(null=True, blank=True)
    prize_minor = models.BigIntegerField(null=True, blank=True)
    # The operator's contribution to reach the guarantee.
    overlay_minor = models.BigIntegerField(default=0)
    # The end of the break in which the add-on is sold; null until round 1 is played.
    addon_until = models.DateTimeField(null=True, blank=True)

    objects = TournamentQuerySet.as_manager()

    class Meta(Terms.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *Terms.Meta.constraints,
            models.UniqueConstraint(
                fields=["template", "slot_at"], name="tournaments_one_a_template_and_slot"
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["finished", "cancelled", "aborted"])
                ^ models.Q(finished_at__isnull=True),
                name="tournaments_over_has_a_time",
            ),
            models.CheckConstraint(
                condition=models.Q(due_at__isnull=True) | models.Q(armed_at__isnull=False),
                name="tournaments_clock_armed",
            ),
            models.CheckConstraint(
                condition=models.Q(frozen_at__isnull=True, prize_minor__isnull=True)
                | models.Q(frozen_at__isnull=False, prize_minor__isnull=False),
                name="tournaments_frozen_has_a_prize",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["due_at"],
                condition=models.Q(due_at__isnull=False),
                name="tournaments_tournament_due",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {str(self.public_id)[-6:]}"

    @property
    def is_over(self) -> bool:
        return self.state in self.OVER

    @property
    def owner_ref(self) -> str:
        """Return the reference of this tournament in its tables and escrow account."""
        return f"tournament:{self.public_id}"


class TournamentSecret(models.Model):
    """The encrypted 32-byte seed of the draw; never shown in admin, exports, logs or a repr."""

    tournament = models.OneToOneField(
        Tournament, on_delete=models.PROTECT, primary_key=True, related_name="secret"
    )
    encrypted_seed = models.BinaryField(editable=False)

    def __str__(self) -> str:
        return f"secret of tournament {self.tournament_id}"

    __repr__ = __str__


class StaffAction(models.Model):
    """A staff action on a tournament, with its reason; an abort needs two people."""

    class Kind(models.TextChoices):
        DELAY = "delay", gettext_lazy("Delay")
        EXTEND = "extend", gettext_lazy("Extension")
        REMOVE = "remove", gettext_lazy("Removal of a player")
        CANCEL = "cancel", gettext_lazy("Cancellation")
        ABORT = "abort", gettext_lazy("Abort")

    tournament = models.ForeignKey(
        Tournament, on_delete=models.PROTECT, related_name="staff_actions"
    )
    kind = models.CharField(max_length=6, choices=Kind)
    reason = models.CharField(max_length=500)
    # The new time, the number of minutes, or the player's handle.
    subject = models.CharField(max_length=200, default="", blank=True)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    asked_at = CreatedAtField()
    # Only for an abort.
    agreed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "tournament action"
        verbose_name_plural = "tournament actions"
        ordering: ClassVar[list[str]] = ["pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(agreed_by__isnull=True)
                | ~models.Q(agreed_by=models.F("asked_by")),
                name="tournaments_staffaction_two_people",
            ),
        ]

    def __str__(self) -> str:
        names = {"kind": self.get_kind_display(), "tournament": self.tournament}
        return gettext("%(kind)s of %(tournament)s") % names
