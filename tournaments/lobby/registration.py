"""Register, withdraw and check in; a full tournament has a waiting list (RB 10.4)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from core.clock import database_now
from players.accounts.conflicts_of_interest import refuse_staff_as_player
from players.accounts.models import User
from players.exceptions import SharedInterest
from tables.exceptions import SameDevice
from tables.seats import origins
from tables.seats.origins import Origin
from tournaments.entries import admission, late_entries
from tournaments.entries.models import Entry, EntryOrigin, Ticket
from tournaments.exceptions import (
    AlreadyRegistered,
    NoAddOn,
    NotAllowed,
    NotCheckingIn,
    NotRegistered,
    RegistrationClosed,
)
from tournaments.planning import timing
from tournaments.planning.locks import (
    LockedTournament,
    lock_if_free,
    lock_tournament,
)
from tournaments.planning.models import Tournament
from tournaments.planning.terms_models import StartRule
from tournaments.rounds import clock, stopping

# How long a practice sit-and-go waits for players before bots fill its free places.
BOTS_WAIT: Final = timedelta(seconds=15)
OPEN = (Tournament.State.REGISTERING, Tournament.State.CHECK_IN)


def register(
    *,
    tournament_id: int,
    player: User,
    ticket: Ticket | None = None,
    origin: Origin | None = None,
    password: str = "",
) -> Entry:
    """Register and pay, or join the waiting list of a full tournament without paying.

    `origin` is the origin of the request, None for bots. An error leaves no row.
    """
    admission.refuse_wrong_password(
        tournament_id=tournament_id, player=player, password=password, origin=origin
    )
    clock.catch_up(tournament_id=tournament_id)
    entry = Entry(player=player, state=Entry.State.WAITING, ticket=ticket)
    return _register(tournament_id=tournament_id, entry=entry, origin=origin)


def withdraw(*, entry_id: int) -> Entry:
    """Withdraw an entry with a full refund, until registration closes.

    Late entrants may withdraw until they are seated.
    """
    tournament_id = Entry.objects.values_list("tournament_id", flat=True).get(pk=entry_id)
    clock.catch_up(tournament_id=tournament_id)
    return _withdraw(tournament_id=tournament_id, entry_id=entry_id)


@transaction.atomic(durable=True)
def reenter(*, tournament_id: int, player: User, origin: Origin | None = None) -> Entry:
    """Enter again, and pay, after an elimination in round 1 while late entry is open (RB 10.6).

    The re-entry is a late entry: it gets a new seat, starts anew and can be withdrawn until it is
    seated. Codes: `registration_closed` after the period, those of `late_entries.next_entry`, and
    those of the first entry.
    """
    tournament = lock_tournament(pk=tournament_id)
    if not late_entries.are_open(tournament, database_now()):
        raise RegistrationClosed(_("Re-entry is not open."))
    entry = late_entries.next_entry(tournament, player)
    _refuse(tournament, player)
    entry.tournament = tournament
    entry.save()
    if origin is not None and not tournament.bots_fill:
        _note_origin(entry, origin)
    admission.pay(tournament, entry)
    late_entries.seat_whole_tables(tournament)
    timing.save(tournament)
    return entry


@transaction.atomic(durable=True)
def add_on(*, entry_id: int) -> Entry:
    """Buy the add-on, once, in the break after round 1; repeating it has no effect (RB 10.6).

    Code `no_add_on` outside the break or for an entry that did not qualify, and the codes of the
    first entry.
    """
    tournament = lock_tournament(entries=entry_id)
    entry = tournament.entries.select_related("player", "addon_stake").get(pk=entry_id)
    if entry.addon_stake is not None:
        return entry
    if not timing.addon_is_open(tournament, database_now()):
        raise NoAddOn(_("The add-on is not on sale now."))
    if entry.state != Entry.State.QUALIFIED or entry.is_removed:
        raise NoAddOn(_("The add-on is for players who have qualified for round 2."))
    _refuse(tournament, entry.player)
    admission.pay_add_on(tournament, entry)
    timing.save(tournament)
    return entry


@transaction.atomic(durable=True)
def check_in(*, entry_id: int) -> Entry:
    """Check in; repeating it has no effect."""
    tournament = lock_tournament(entries=entry_id)
    entry = tournament.entries.get(pk=entry_id)
    if entry.state == Entry.State.CHECKED_IN:
        return entry
    if tournament.state != Tournament.State.CHECK_IN:
        raise NotCheckingIn(_("Check-in is not open."))
    if entry.state != Entry.State.REGISTERED:
        raise NotRegistered(_("Only registered players can check in."))
    entry.state = Entry.State.CHECKED_IN
    entry.save(update_fields=["state"])
    timing.save(tournament)
    return entry


@transaction.atomic(durable=True)
def _register(*, tournament_id: int, entry: Entry, origin: Origin | None) -> Entry:
    tournament = lock_tournament(pk=tournament_id)
    now = database_now()
    is_late = late_entries.are_open(tournament, now)
    if _is_closed(tournament, now) and not is_late:
        raise RegistrationClosed(_("Registration is not open."))
    if tournament.entries.of_player(entry.player).entered().exists():
        raise AlreadyRegistered(_("You are already registered."))
    _refuse(tournament, entry.player)
    taken = tournament.entries.standing().of_players().count()
    if taken >= tournament.entrants_max and is_late:
        raise RegistrationClosed(_("All places are taken."))
    entry.tournament = tournament
    entry.save()
    if origin is not None and not tournament.bots_fill:
        _note_origin(entry, origin)
    if taken < tournament.entrants_max:
        admission.pay(tournament, entry, ticket=entry.ticket)
        _arm_sit_and_go(tournament, now)
        if is_late:
            late_entries.seat_whole_tables(tournament)
    timing.save(tournament)
    return entry


@transaction.atomic(durable=True)
def _withdraw(*, tournament_id: int, entry_id: int) -> Entry:
    tournament = lock_tournament(pk=tournament_id)
    now = database_now()
    entry = tournament.entries.select_related("stake", "ticket").get(pk=entry_id)
    if entry.state == Entry.State.WITHDRAWN:
        return entry
    has_no_table = entry.draw_no is None and late_entries.are_open(tournament, now)
    if _is_closed(tournament, now) and not has_no_table:
        raise RegistrationClosed(_("Registration has closed. You can no longer withdraw."))
    admission.release(tournament, entry, Entry.State.WITHDRAWN, reason="withdraw")
    _fill_up(tournament, now)
    return entry


def _is_closed(tournament: LockedTournament, now: datetime) -> bool:
    """Return whether registration is closed by state, timer or a pending cancellation."""
    if tournament.state not in OPEN:
        return True
    due = timing.deadline(tournament, now)
    is_starting = due is not None and due <= now
    return is_starting or stopping.actions_due().filter(tournament=tournament.pk).exists()


def withdraw_stopped(*, now: datetime) -> int:
    """Withdraw players who are on a break, on hold or in a closed place; return their number."""
    coming = Tournament.objects.filter(
        state__in=(*OPEN, Tournament.State.RUNNING),
        entries__in=Entry.objects.entered().filter(draw_no=None),
    )
    return sum(_withdraw_stopped(pk, now) for pk in {*coming.values_list("pk", flat=True)})


@transaction.atomic(durable=True)
def _withdraw_stopped(tournament_id: int, now: datetime) -> int:
    tournament = lock_if_free(Tournament.objects.filter(pk=tournament_id))
    if tournament is None or tournament.is_over:
        return 0  # The next sweep or the start does it.
    gone = admission.release_stopped(tournament, now)
    if gone:
        _fill_up(tournament, now)
    return gone


def _fill_up(tournament: LockedTournament, now: datetime) -> None:
    """Promote entries from the waiting list, and reset the timer of a sit-and-go."""
    admission.promote(tournament)
    _arm_sit_and_go(tournament, now)
    timing.save(tournament)


def _arm_sit_and_go(tournament: LockedTournament, now: datetime) -> None:
    """Set the timer of a sit-and-go: to now if full, else to its bots or its cancellation."""
    if tournament.start_rule != StartRule.WHEN_FULL:
        return
    taken = tournament.entries.standing().count()
    if taken >= tournament.entrants_max:
        timing.arm(tournament, now, now)
    elif not taken:
        timing.arm(tournament, None, now)
    elif not tournament.bots_fill:
        timing.arm(tournament, timing.given_up_at(tournament), now)
    elif tournament.due_at is None:
        timing.arm(tournament, now + BOTS_WAIT, now)


def _refuse(tournament: Tournament, player: User) -> None:
    """Raise unless the player may pay for a place in this tournament now."""
    if tournament.entries.of_player(player).filter(is_removed=True).exists():
        raise NotAllowed(_("You have been removed from this tournament."))
    # Staff must not remove rivals, or set a guarantee, and then enter.
    if tournament.staff_actions.filter(Q(asked_by=player) | Q(agreed_by=player)).exists():
        raise SharedInterest(_("Staff who have acted on a tournament cannot enter it."))
    refuse_staff_as_player(player, tournament, tournament.template)
    admission.refuse_currency(tournament, player)


def _note_origin(entry: Entry, origin: Origin) -> None:
    """Save the origin of an entry; raise `SameDevice` for a second account of a browser.

    The draw may seat any two players at one table, where two accounts of a browser are refused.
    Accounts of a network are flagged at their tables. A removed player cannot enter with another
    account of the browser either.
    """
    here = origins.hashes(entry.player, origin)
    others = entry.tournament.entries.exclude(player=entry.player_id)
    currency = entry.tournament.currency
    alike = others.filter(origins.one_browser(here, currency, through="origin__"))
    if (alike.entered() | alike.filter(is_removed=True)).exists():
        raise SameDevice(_("Another account is registered from this browser."))
    EntryOrigin.objects.create(entry=entry, **here)
