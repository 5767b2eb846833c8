"""Tickets, entries, rounds, their tables and seatings, and prizes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, gettext_lazy

from core.clock import CreatedAtField
from core.db.identifiers import new_public_id
from tables.models.tables import Table
from tables.seats.models import OriginHashes
from tournaments.planning.models import Tournament
from tournaments.planning.template_models import TournamentTemplate
from wallet.ledger.models import Account
from wallet.ledger.money import MoneyProperty
from wallet.stakes.models import Stake


class Ticket(models.Model):
    """A satellite's prize: a prepaid entry with its own account (RB 10.5)."""

    class State(models.TextChoices):
        ISSUED = "issued", gettext_lazy("Usable")
        USED = "used", gettext_lazy("Used")
        REFUNDED = "refunded", gettext_lazy("Paid out")

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="tickets"
    )
    admits_to = models.ForeignKey(
        TournamentTemplate, on_delete=models.PROTECT, related_name="tickets"
    )
    won_in = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="tickets_won")
    account = models.OneToOneField(Account, on_delete=models.PROTECT, related_name="ticket")
    value_minor = models.BigIntegerField()
    state = models.CharField(max_length=8, choices=State, default=State.ISSUED)
    issued_at = CreatedAtField()

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(value_minor__gt=0), name="tournaments_ticket_is_worth_something"
            ),
        ]

    def __str__(self) -> str:
        names = {"code": str(self.public_id)[-6:], "tournament": self.admits_to}
        return gettext("ticket %(code)s to %(tournament)s") % names

    value = MoneyProperty("value_minor", currency="account.currency")


class TournamentEntryQuerySet(models.QuerySet["Entry"]):
    def entered(self) -> Self:
        """Return entries that are not withdrawn or released, including the waiting list."""
        return self.exclude(state__in=Entry.GONE)

    def standing(self) -> Self:
        """Return entries with a place: not waiting, withdrawn or released."""
        return self.entered().exclude(state=Entry.State.WAITING)

    def drawn(self) -> Self:
        """Return the entries of the published draw in its order, without late entries."""
        return self.filter(draw_no__isnull=False, is_late=False).order_by("draw_no")

    def waiting(self) -> Self:
        return self.filter(state=Entry.State.WAITING).order_by("pk")

    def of_player(self, player: models.Model) -> Self:
        return self.filter(player=player)

    def of_players(self) -> Self:
        """Return the first entry of each player, without re-entries."""
        return self.filter(reenters__isnull=True)

    def latest_of(self, player: models.Model) -> Self:
        """Return the player's entries that are not gone, the latest first."""
        return self.of_player(player).entered().order_by("-pk")


class Entry(models.Model):
    class State(models.TextChoices):
        WAITING = "waiting", gettext_lazy("On the waiting list")
        REGISTERED = "registered", gettext_lazy("Registered")
        CHECKED_IN = "checked_in", gettext_lazy("Checked in")
        PLAYING = "playing", gettext_lazy("Playing")
        # For the next round, by result or by a bye.
        QUALIFIED = "qualified", gettext_lazy("Qualified")
        OUT = "out", gettext_lazy("Out")
        WITHDRAWN = "withdrawn", gettext_lazy("Withdrawn")
        # Refunded before the start, for example without check-in or when removed.
        RELEASED = "released", gettext_lazy("Released")
        FINISHED = "finished", gettext_lazy("Finished")

    GONE: ClassVar[tuple[str, ...]] = ("withdrawn", "released")

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    tournament = models.ForeignKey(
        Tournament, on_delete=models.PROTECT, related_name="entries", db_index=False
    )
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="tournament_entries"
    )
    state = models.CharField(max_length=10, choices=State)
    # Null on the waiting list, which is free.
    stake = models.OneToOneField(
        Stake, on_delete=models.PROTECT, null=True, blank=True, related_name="tournament_entry"
    )
    ticket = models.ForeignKey(
        Ticket, on_delete=models.PROTECT, null=True, blank=True, related_name="entries"
    )
    # Of a re-entry: the player's previous entry, which was eliminated (RB 10.6).
    reenters = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="reentries"
    )
    # The payment of the add-on in the break after round 1.
    addon_stake = models.OneToOneField(
        Stake, on_delete=models.PROTECT, null=True, blank=True, related_name="tournament_addon"
    )
    registered_at = CreatedAtField()
    # Seated without check-in: its turns are dropped at once (RB 10.4).
    is_absent = models.BooleanField(default=False)
    # Removed by staff: the player cannot register again, and the sweep removes them from tables.
    is_removed = models.BooleanField(default=False)
    # Position in the published draw, from 1; late entries follow in the order of seating.
    draw_no = models.PositiveIntegerField(null=True, blank=True)
    # Registered after the draw: numbered, but not part of the order that the seed gives.
    is_late = models.BooleanField(default=False)
    # The round of elimination, the final place, and the number of entries that share it.
    out_in_round = models.PositiveSmallIntegerField(null=True, blank=True)
    place = models.PositiveIntegerField(null=True, blank=True)
    tied = models.PositiveIntegerField(default=1)
    prize_minor = models.BigIntegerField(default=0)

    objects = TournamentEntryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "entries"
        ordering: ClassVar[list[str]] = ["pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["tournament", "player"],
                condition=~models.Q(state__in=["withdrawn", "released"])
                & models.Q(reenters__isnull=True),
                name="tournaments_entry_player_once",
            ),
            models.UniqueConstraint(
                fields=["reenters"],
                condition=~models.Q(state__in=["withdrawn", "released"]),
                name="tournaments_entry_reentered_once",
            ),
            models.UniqueConstraint(
                fields=["tournament", "draw_no"], name="tournaments_entry_draw_once"
            ),
            models.CheckConstraint(
                condition=models.Q(prize_minor__gte=0), name="tournaments_entry_prize_not_negative"
            ),
        ]

    def __str__(self) -> str:
        names = {"player": self.player, "tournament": self.tournament}
        return gettext("%(player)s in %(tournament)s") % names

    prize = MoneyProperty("prize_minor", currency="tournament.currency")


class EntryOriginQuerySet(models.QuerySet["EntryOrigin"]):
    def by_player(self, entries: Iterable[Entry]) -> dict[int, dict[str, str]]:
        """Return the origin hashes of these entries by the primary keys of their players."""
        rows = self.filter(entry__in=entries).values("entry__player", *OriginHashes.KEPT)
        return {row.pop("entry__player"): row for row in rows}


class EntryOrigin(OriginHashes):
    """Hashes of a player's origin at registration, copied to the tables of the tournament."""

    entry = models.OneToOneField(Entry, on_delete=models.PROTECT, related_name="origin")

    objects = EntryOriginQuerySet.as_manager()

    class Meta:
        # Registration searches a tournament's entries for the same origin.
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["device_hash"], name="tournaments_entryorigin_device"),
            models.Index(fields=["network_hash"], name="tournaments_entryorigin_net"),
        ]

    def __str__(self) -> str:
        return f"origin of entry {self.entry_id}"


class Round(models.Model):
    tournament = models.ForeignKey(
        Tournament, on_delete=models.PROTECT, related_name="rounds", db_index=False
    )
    no = models.PositiveSmallIntegerField()
    is_final = models.BooleanField(default=False)
    started_at = models.DateTimeField()
    # No new deal begins at its tables after this; null for no limit.
    ends_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["tournament", "no"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["tournament", "no"], name="tournaments_round_once"),
        ]

    def __str__(self) -> str:
        names = {"no": self.no, "tournament": self.tournament}
        return gettext("round %(no)s of %(tournament)s") % names


class RoundTableQuerySet(models.QuerySet["RoundTable"]):
    def unfinished(self) -> Self:
        return self.filter(finished_at__isnull=True)


class RoundTable(models.Model):
    """A table of a round; a bye has no table."""

    round = models.ForeignKey(
        Round, on_delete=models.PROTECT, related_name="round_tables", db_index=False
    )
    no = models.PositiveIntegerField()
    table = models.OneToOneField(
        Table, on_delete=models.PROTECT, null=True, blank=True, related_name="round_table"
    )
    qualify = models.PositiveSmallIntegerField()
    # When its result was recorded.
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = RoundTableQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["round", "no"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["round", "no"], name="tournaments_roundtable_once"),
        ]

    def __str__(self) -> str:
        return f"table {self.no} of {self.round}"


class SeatingQuerySet(models.QuerySet["Seating"]):
    def sums(self) -> dict[int, int]:
        """Return the sum of the recorded totals of each entry, by its primary key."""
        rows = self.order_by().values_list("entry").annotate(sum=models.Sum("total"))
        return {entry: total or 0 for entry, total in rows}

    def next_departure(self, now: datetime) -> datetime:
        """Return `now`, or a microsecond after the last departure if that is later."""
        last: datetime | None = self.aggregate(at=models.Max("left_at"))["at"]
        return now if last is None else max(now, last + timedelta(microseconds=1))


class Seating(models.Model):
    """An entry at a table of a round, and its result."""

    round = models.ForeignKey(
        Round, on_delete=models.PROTECT, related_name="seatings", db_index=False
    )
    round_table = models.ForeignKey(
        RoundTable, on_delete=models.PROTECT, related_name="seatings", db_index=False
    )
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="seatings")
    # At this table; ties share a place, and the next places are skipped: 1, 2, 2, 4.
    place = models.PositiveSmallIntegerField(null=True, blank=True)
    # Points lost, or chips in games with chips; in a points race the net points of the deal.
    total = models.IntegerField(null=True, blank=True)
    deals_lost = models.PositiveSmallIntegerField(null=True, blank=True)
    last_points = models.SmallIntegerField(null=True, blank=True)
    qualified = models.BooleanField(null=True)
    # Points races: when the entry became free for another table, by a drop or the deal's end.
    left_at = models.DateTimeField(null=True, blank=True)

    objects = SeatingQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["round_table", "place", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # No one plays at two tables at a time.
            models.UniqueConstraint(
                fields=["round", "entry"],
                condition=models.Q(left_at__isnull=True),
                name="tournaments_seating_once",
            ),
            models.UniqueConstraint(
                fields=["round_table", "entry"], name="tournaments_seating_once_a_table"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry} at {self.round_table}"


class Prize(models.Model):
    """The prize of a place, written when the pool is frozen (RB 10.3)."""

    tournament = models.ForeignKey(
        Tournament, on_delete=models.PROTECT, related_name="prizes", db_index=False
    )
    place = models.PositiveIntegerField()
    bps = models.PositiveIntegerField()
    amount_minor = models.BigIntegerField()
    # Of a satellite: whether the prize is a ticket instead of money.
    is_ticket = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar[list[str]] = ["tournament", "place"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["tournament", "place"], name="tournaments_prize_once_a_place"
            ),
            models.CheckConstraint(
                condition=models.Q(amount_minor__gte=0), name="tournaments_prize_not_negative"
            ),
        ]

    def __str__(self) -> str:
        names = {"no": self.place, "tournament": self.tournament}
        return gettext("prize %(no)s of %(tournament)s") % names

    amount = MoneyProperty("amount_minor", currency="tournament.currency")
