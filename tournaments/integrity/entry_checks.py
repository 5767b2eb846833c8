"""Compare entries with a tournament's terms: number, time and price (RB 10.1, 10.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final

from tournaments.entries.models import Entry
from tournaments.integrity.contest import Contest
from tournaments.planning.models import StaffAction, Tournament
from tournaments.planning.terms_models import NoShow
from wallet.audit.audit import Finding
from wallet.audit.models import RowVersion
from wallet.ledger.money import PLAY_POINTS
from wallet.stakes.rake import rake_of_entry

# A registration accepted at the last moment is written a little later.
SLACK: Final = timedelta(minutes=1)


def differences(contest: Contest) -> Iterator[Finding]:
    """Yield entries that break the terms, and cancellations or aborts without staff actions."""
    tournament = contest.tournament
    subject = f"tournament {tournament.pk}"
    standing = [
        entry
        for entry in contest.entries.values()
        if entry.state not in (*Entry.GONE, Entry.State.WAITING)
    ]
    players = sum(entry.reenters_id is None for entry in standing)
    if players > tournament.entrants_max:
        detail = f"has {players} entrants and {tournament.entrants_max} places"
        yield Finding("entries_over", subject, detail)
    for entry in standing:
        yield from _price(contest, entry)
    yield from _more_payments(contest, standing)
    for entry in contest.entries.values():
        yield from _times(contest, entry)
        if entry.is_removed and entry.pk not in contest.removed_at:
            yield Finding(
                "removal_unexplained", f"entry {entry.pk}", "removed without a staff action"
            )
    yield from _absences(contest)
    yield from _ending(contest, subject)


def _price(contest: Contest, entry: Entry) -> Iterator[Finding]:
    tournament, stake, subject = contest.tournament, entry.stake, f"entry {entry.pk}"
    if entry.player.is_bot and tournament.currency != PLAY_POINTS:
        yield Finding("bot_for_money", subject, f"is of a bot, for {tournament.currency}")
    if stake is None and not tournament.entry_minor:
        return
    if stake is None:
        yield Finding("entry_not_paid", subject, f"is {entry.state} without a payment")
        return
    rake = rake_of_entry(tournament.entry_minor, tournament.rake_bps)
    if (stake.entry_minor, stake.rake_minor) != (tournament.entry_minor, rake):
        detail = f"paid {stake.entry_minor} with a rake of {stake.rake_minor}, not"
        yield Finding("entry_price", subject, f"{detail} {tournament.entry_minor} with {rake}")


def _more_payments(contest: Contest, standing: Sequence[Entry]) -> Iterator[Finding]:
    """Yield re-entries and add-ons that the terms do not allow or price otherwise (RB 10.6)."""
    terms = contest.tournament
    again = Counter(entry.player_id for entry in standing if entry.reenters_id)
    for entry in standing:
        subject, before = f"entry {entry.pk}", contest.entries.get(entry.reenters_id or 0)
        if entry.reenters_id and (
            before is None
            or before.player_id != entry.player_id
            or before.draw_no is None
            or not (entry.is_late or entry.draw_no is None)
        ):
            yield Finding("reentry_unexplained", subject, "follows no entry of its player")
        if entry.reenters_id and again[entry.player_id] > terms.reentries_max:
            detail = f"is of a player with {again[entry.player_id]} re-entries"
            yield Finding("reentries_over", subject, f"{detail}, allowed are {terms.reentries_max}")
        if (stake := entry.addon_stake) is not None:
            rake = rake_of_entry(terms.addon_minor, terms.rake_bps)
            if (stake.entry_minor, stake.rake_minor) != (terms.addon_minor, rake):
                detail = f"paid {stake.entry_minor} with a rake of {stake.rake_minor} for the"
                due = f"add-on of {terms.addon_minor} with {rake}"
                yield Finding("addon_price", subject, f"{detail} {due}")


def _times(contest: Contest, entry: Entry) -> Iterator[Finding]:
    """Yield entries made after registration or late entry ended."""
    tournament = contest.tournament
    started = tournament.started_at
    if started is None or entry.draw_no is None:
        return
    latest = started + timedelta(minutes=tournament.late_minutes if entry.is_late else 0)
    # Bots fill the free places at the start.
    is_after = entry.registered_at > latest + SLACK and not entry.player.is_bot
    if is_after or (entry.is_late and not tournament.late_minutes):
        detail = f"is of {entry.registered_at:%Y-%m-%d %H:%M:%S}, entry ended at {latest:%H:%M:%S}"
        yield Finding("entry_late", f"entry {entry.pk}", detail)


def _absences(contest: Contest) -> Iterator[Finding]:
    """Yield players marked absent although they checked in, or who cannot be absent (RB 10.4)."""
    absent = [
        entry
        for entry in contest.entries.values()
        if entry.is_absent and not entry.is_removed and entry.draw_no is not None
    ]
    if not absent:
        return
    terms = contest.tournament
    may_be = terms.check_in_minutes > 0 and terms.no_show == NoShow.AUTO_DROP
    came = set(
        RowVersion.objects.filter(
            relation=Entry._meta.db_table,
            row_key__in=[str(entry.pk) for entry in absent],
            facts__state=Entry.State.CHECKED_IN,
        ).values_list("row_key", flat=True)
    )
    for entry in absent:
        if not may_be or str(entry.pk) in came:
            yield Finding("absence_unexplained", f"entry {entry.pk}", "is absent after check-in")


def _ending(contest: Contest, subject: str) -> Iterator[Finding]:
    """Yield tournaments that were cancelled or aborted without the required staff actions."""
    tournament, state = contest.tournament, Tournament.State
    done = {act.kind for act in contest.acts if act.done_at is not None}
    agreed = any(act.kind == StaffAction.Kind.ABORT and act.agreed_by_id for act in contest.acts)
    if tournament.state == state.ABORTED and not (StaffAction.Kind.ABORT in done and agreed):
        yield Finding("abort_unexplained", subject, "was aborted without two people")
    if tournament.state == state.CANCELLED and contest.rounds:
        yield Finding("cancel_unexplained", subject, "was cancelled after the start of round 1")
    results = [e for e in contest.entries.values() if e.place is not None or e.prize_minor]
    if results and not contest.rounds:
        yield Finding("contest_early", f"entry {results[0].pk}", "has a result before any round")
