"""What the law and the operator allow in a place, from when; and doubts where a player is."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Final, Self

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_lazy as _

from core.clock import CreatedAtField, DatabaseNow
from core.db.identifiers import ProtectedForeignKey, ProtectedOneToOneField
from core.db.row_locks import LockableQuerySet
from core.maker_checker import Checked
from players.accounts.places import lineage, place_name, present_code, spellings

# ISO 3166-1 alpha-2, and the part after the hyphen of ISO 3166-2.
COUNTRY_PATTERN = r"\A[A-Z]{2}\Z"
REGION_PATTERN = r"\A[A-Z0-9]{1,3}\Z"
# Minimum age in years to play for money anywhere; a region may require more.
AGE_MIN: Final = 18
AGE_MIN_HIGHEST: Final = 30


class Offer(models.TextChoices):
    """What is offered to players who live in a place (RB 11.6)."""

    ALLOWED = "allowed", gettext_lazy("Play for money")
    POINTS = "points", gettext_lazy("Play points only")
    WIND_DOWN = "wind_down", gettext_lazy("Wind-down: withdrawals only")
    PROHIBITED = "prohibited", gettext_lazy("Prohibited: withdrawals only, play points included")


class Place(models.Model):
    """The terms, requested or in force, of a country or one of its regions."""

    country = models.CharField(max_length=2, validators=[RegexValidator(COUNTRY_PATTERN)])
    # Empty: the whole country, except regions with a row of their own.
    region = models.CharField(
        max_length=3, blank=True, default="", validators=[RegexValidator(REGION_PATTERN)]
    )
    offer = models.CharField(max_length=10, choices=Offer)
    # Minimum age to play for money, in years.
    age_min = models.PositiveSmallIntegerField("minimum age", default=AGE_MIN)
    # Whether withdrawals need a verified identity and a bank account in the same name.
    withdrawal_needs_identity = models.BooleanField(default=False)
    begins_at = models.DateTimeField()
    reason = models.CharField(max_length=200)

    class Meta:
        abstract = True
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(country__regex="^[A-Z]{2}$", region__regex="^[A-Z0-9]{0,3}$"),
                name="%(app_label)s_%(class)s_has_iso_codes",
            ),
            models.CheckConstraint(
                condition=models.Q(offer__in=Offer.values),
                name="%(app_label)s_%(class)s_offer_known",
            ),
            models.CheckConstraint(
                condition=models.Q(age_min__range=(AGE_MIN, AGE_MIN_HIGHEST)),
                name="%(app_label)s_%(class)s_is_for_adults",
                violation_error_message=f"The minimum age is {AGE_MIN} to {AGE_MIN_HIGHEST} years.",
            ),
            models.CheckConstraint(
                condition=~models.Q(reason=""), name="%(app_label)s_%(class)s_has_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{place_name(self.country, self.region)}: {self.get_offer_display()}"


class RegionChange(Place, Checked):
    """A request to change the terms of a place; a second person approves or rejects it."""

    class Meta(Checked.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *Checked.Meta.constraints,
            *Place.Meta.constraints,
        ]


class RegionQuerySet(models.QuerySet["Region"]):
    def of_place(self, country: str, region: str) -> Self:
        """Return the rows of a region, of the regions that contain it, and of its country."""
        return self.filter(
            country=country, region__in={"", *spellings(country, lineage(country, region))}
        )

    def in_force(self, at: datetime | None = None) -> dict[str, Region]:
        """Return the latest begun row of each region of one country; "" is the country."""
        begun = self.filter(begins_at__lte=at or DatabaseNow()).order_by("begins_at", "pk")
        return {present_code(row.country, row.region): row for row in begun}


class Region(Place):
    """The terms of a place from `begins_at` on. Append-only; the latest begun row is in force.

    Rows without a change request came with a release: the law at that time.
    """

    change = ProtectedOneToOneField(RegionChange, null=True, related_name="outcome")
    added_at = CreatedAtField()

    objects = RegionQuerySet.as_manager()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["country", "region", "begins_at"], name="players_region_of_place")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [*Place.Meta.constraints]


class PlaceDoubtQuerySet(LockableQuerySet["PlaceDoubt"]):
    def open(self) -> Self:
        return self.filter(settled_at=None)


class PlaceDoubt(models.Model):
    """One mismatch, open until it is settled. The IP address is not stored."""

    class Kind(models.TextChoices):
        ELSEWHERE = "elsewhere", _("IP address is in another place")
        HIDDEN = "hidden", _("IP address hides its location")
        UNPLACED = "unplaced", _("Region of the IP address is unknown")

    class Settlement(models.TextChoices):
        """How it was settled: by the player's IP address, or by staff."""

        BACK = "back", _("IP address matches the account")
        STAFF = "staff", _("Settled by staff")

    player = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="place_doubts")
    kind = models.CharField(max_length=9, choices=Kind)
    # Place of the account, and of the IP address by the GeoIP file; empty if unknown.
    declared_country = models.CharField(max_length=2)
    declared_region = models.CharField(max_length=3, blank=True)
    seen_country = models.CharField(max_length=2, blank=True)
    seen_region = models.CharField(max_length=3, blank=True)
    noticed_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)
    settlement = models.CharField(max_length=5, choices=Settlement, blank=True, default="")
    settled_by = ProtectedForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, related_name="+", db_index=False
    )
    reason = models.CharField(max_length=200, blank=True, default="")

    objects = PlaceDoubtQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["player"],
                condition=models.Q(settled_at=None),
                name="players_placedoubt_stands_once",
            ),
            models.CheckConstraint(
                condition=models.Q(settled_at=None, settlement="", settled_by=None, reason="")
                | models.Q(settled_at__isnull=False, settlement="back", settled_by=None, reason="")
                | models.Q(settled_at__isnull=False, settlement="staff", settled_by__isnull=False)
                & ~models.Q(reason=""),
                name="players_placedoubt_settled_in_one_way",
            ),
            models.CheckConstraint(
                condition=models.Q(settled_by=None) | ~models.Q(settled_by=models.F("player")),
                name="players_placedoubt_settled_by_another",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.seen or '-'}"

    @property
    def declared(self) -> str:
        return place_name(self.declared_country, self.declared_region)

    @property
    def seen(self) -> str:
        return place_name(self.seen_country, self.seen_region) if self.seen_country else ""
