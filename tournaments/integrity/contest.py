"""All rows of a tournament from which its places and prizes follow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.models import AuditEntry
from tables.models.tables import Table
from tables.settlement.game_record import GameRecord, records_of
from tables.settlement.models import Result
from tournaments.entries.models import Entry, Prize, Round, RoundTable, Seating, Ticket
from tournaments.planning.models import StaffAction, Tournament
from tournaments.rounds import results
from wallet.stakes.models import Stake


@dataclass(frozen=True, slots=True)
class Contest:
    """The rows of one tournament; rows of tables by the table's primary key."""

    tournament: Tournament
    # By primary key.
    entries: Mapping[int, Entry]
    # By number.
    rounds: Sequence[Round]
    # By round, in the order of their numbers.
    round_tables: Mapping[int, Sequence[RoundTable]]
    # By round table, in the order of seating.
    seatings: Mapping[int, Sequence[Seating]]
    records: Mapping[int, GameRecord]
    results: Mapping[int, Sequence[Result]]
    # By place.
    prizes: Sequence[Prize]
    tickets: Sequence[Ticket]
    # In its escrow, including rejoins.
    stakes: Sequence[Stake]
    acts: Sequence[StaffAction]
    # When staff removed a player, by the entry's key.
    removed_at: Mapping[int, datetime]

    @property
    def is_highest_best(self) -> bool:
        return results.is_highest_best(self.tournament)

    @property
    def drawn(self) -> list[Entry]:
        """Return all seated entries in the order of the draw; late entries are last."""
        there = [entry for entry in self.entries.values() if entry.draw_no is not None]
        return sorted(there, key=lambda entry: entry.draw_no or 0)

    @property
    def net_minor(self) -> int:
        """Return the sum of paid entries and rejoins, net of rake, in minor units."""
        paid = (stake for stake in self.stakes if stake.status != Stake.Status.REFUNDED)
        return sum(stake.net_minor for stake in paid)

    @property
    def is_paid(self) -> bool:
        """Return whether places and prizes were awarded."""
        ended = (Tournament.State.FINISHED, Tournament.State.ABORTED)
        return self.tournament.state in ended and self.tournament.frozen_at is not None

    def seated_in(self, this: Round) -> list[Seating]:
        return [
            seating for table in self.round_tables[this.pk] for seating in self.seatings[table.pk]
        ]

    def sums_until(self, last: Round, *, including: bool = True) -> dict[int, int]:
        """Return the sum of each entry's totals up to a round."""
        sums: dict[int, int] = defaultdict(int)
        for this in self.rounds:
            if this.no < last.no or (including and this.no == last.no):
                for seating in self.seated_in(this):
                    sums[seating.entry_id] += seating.total or 0
        return sums

    def was_removed(self, entry: Entry, before: datetime | None) -> bool:
        """Return whether staff removed the player at or before that time; None is now."""
        at = self.removed_at.get(entry.pk)
        return at is not None and (before is None or at <= before)


def contests_of(tournaments: Sequence[Tournament]) -> list[Contest]:
    """Read tournaments with one query for each kind of row, including rows of tables."""
    of_them = {"tournament__in": [tournament.pk for tournament in tournaments]}
    entries = list(
        Entry.objects.filter(**of_them)
        .select_related("player", "stake", "ticket", "addon_stake")
        .order_by("pk")
    )
    by_key = {entry.pk: entry for entry in entries}
    rounds = list(Round.objects.filter(**of_them).order_by("no"))
    in_them = {"round__in": [this.pk for this in rounds]}
    round_tables = list(RoundTable.objects.filter(**in_them).order_by("no"))
    seatings = list(Seating.objects.filter(**in_them).order_by("pk"))
    for seating in seatings:
        if seating.entry_id in by_key:
            seating.entry = by_key[seating.entry_id]
    keys = [place.table_id for place in round_tables if place.table_id]
    tables = list(Table.objects.filter(pk__in=keys).select_related("profile").order_by("pk"))
    removed = AuditEntry.objects.filter(
        kind="tournaments.entry", act="remove", row__in=[str(entry.pk) for entry in entries]
    )
    shared: dict[str, Any] = {
        "records": records_of(tables),
        "results": _by("table_id", Result.objects.filter(table__in=keys)),
        "round_tables": _by("round_id", round_tables),
        "seatings": _by("round_table_id", seatings),
        "removed_at": {int(row): at for row, at in removed.values_list("row", "at")},
    }
    escrows = [tournament.escrow_account_id for tournament in tournaments]
    parts = {
        "entries": _by("tournament_id", entries),
        "rounds": _by("tournament_id", rounds),
        "prizes": _by("tournament_id", Prize.objects.filter(**of_them).order_by("place")),
        "tickets": _by("won_in_id", Ticket.objects.filter(won_in__in=of_them["tournament__in"])),
        "acts": _by("tournament_id", StaffAction.objects.filter(**of_them)),
    }
    stakes = _by("escrow_id", Stake.objects.filter(escrow__in=escrows))
    return [
        Contest(
            tournament,
            entries={entry.pk: entry for entry in parts["entries"][tournament.pk]},
            stakes=stakes[tournament.escrow_account_id],
            rounds=parts["rounds"][tournament.pk],
            prizes=parts["prizes"][tournament.pk],
            tickets=parts["tickets"][tournament.pk],
            acts=parts["acts"][tournament.pk],
            **shared,
        )
        for tournament in tournaments
    ]


def _by(name: str, rows: Iterable[Any]) -> dict[int, list[Any]]:
    grouped: dict[int, list[Any]] = defaultdict(list)
    for row in rows:
        grouped[getattr(row, name)].append(row)
    return grouped
