"""Whether a player may take a seat or continue: own limits, and players who may not play."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import connection
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.clock import database_now
from players.accounts.models import User
from players.eligibility.verdicts import ALLOWED, Verdict, stopped
from players.exceptions import TableLimitReached, TimeLimitReached
from players.limits.models import OwnLimit
from players.limits.own_limits import LimitState, Scope, limit_states, person_of
from tables.models.seats import Seat
from tables.models.tables import StakeMode, Table
from tables.responsible.time_played import free_again, spans_at_tables, total
from tables.state.locks import LockedTable, snapshot_of
from wallet.ledger.cash_offered import act_of

# Namespace of advisory locks by player, which serialise the counting of a player's seats.
SEATS_LOCK: Final = 5311
TABLES: Final = Scope(OwnLimit.Kind.TABLES)
TIME: Final = Scope(OwnLimit.Kind.TIME, period=OwnLimit.Period.DAY)
WINDOW: Final = OwnLimit.SPAN["day"]
# The limits that are checked before a player sits down.
ON_SEATS: Final = (OwnLimit.Kind.TABLES, OwnLimit.Kind.TIME)


@dataclass(frozen=True, slots=True)
class TimeToday:
    """A player's time at tables within 24 hours, and their own limit, if any."""

    played: timedelta
    limit: OwnLimit | None
    # When they may sit down again; None if they may now.
    until: datetime | None


def sit_down_verdict(player: User) -> Verdict:
    """Return whether the player's own limits allow a seat at another table now."""
    if player.is_bot:
        return ALLOWED
    return _sit_down_verdict(player, limit_states(player, *ON_SEATS))


def require_may_sit_down(player: User) -> None:
    """Raise the refusal of `sit_down_verdict`, if there is one.

    Takes a lock until the transaction ends, so that concurrent requests are counted in sequence.
    """
    if player.is_bot:
        return
    found = limit_states(player, *ON_SEATS)
    if found[TABLES].most is not None:
        _lock(player)
    _sit_down_verdict(player, found).enforce()


def _sit_down_verdict(player: User, found: dict[Scope, LimitState]) -> Verdict:
    of_time = _time_verdict(player, found)
    limit = found[TABLES].in_force
    if not of_time.is_allowed or limit is None or limit.number is None:
        return of_time
    if tables_of(person_of(player)) < limit.number:
        return ALLOWED
    return _tables_refused(limit, limit.number)


def time_verdict(player: User) -> Verdict:
    """Return whether the player's own limit leaves time at tables."""
    if player.is_bot:
        return ALLOWED
    return _time_verdict(player, limit_states(player, OwnLimit.Kind.TIME))


def require_time(player: User) -> None:
    """Raise `TimeLimitReached` if the player's time at tables is used up."""
    time_verdict(player).enforce()


def stopped_seats(table: LockedTable) -> list[Seat]:
    """Return a table's seats of stopped players; none at tournament tables, which are free."""
    if table.stake_mode != StakeMode.CASH:
        return []
    seats = snapshot_of(table).present()
    players = stopped([seat.player_id for seat in seats], act_of(table.currency))
    return [seat for seat in seats if seat.player_id in players]


def stopped_at_waiting_tables() -> list[int]:
    """Return the keys of seats of stopped players at all waiting tables."""
    waiting = Seat.objects.present().filter(
        table__phase=Table.Phase.WAITING, table__stake_mode=StakeMode.CASH
    )
    seats = defaultdict(list)
    for seat, player, currency in waiting.values_list("pk", "player", "table__currency"):
        seats[act_of(currency)].append((seat, player))
    found = []
    for act, pairs in seats.items():
        players = stopped([player for _seat, player in pairs], act)
        found += [seat for seat, player in pairs if player in players]
    return found


def tables_of(person: list[int]) -> int:
    """Return the number of tables where a player is in a game or waits for one to start."""
    seats = Seat.objects.active().filter(player__in=person)
    return seats.filter(table__finished_at__isnull=True).count()


def time_today(player: User) -> TimeToday:
    """Return a player's time at tables within the last 24 hours."""
    return _time_today(player, limit_states(player, OwnLimit.Kind.TIME))


def wants_reminders(player: User) -> bool:
    """Return whether tables remind the player of time or results."""
    if player.reality_check_minutes:
        return True
    limit = limit_states(player, OwnLimit.Kind.TIME)[TIME].in_force
    return limit is not None and limit.number is not None


def choose_reality_check(*, player: User, minutes: int) -> None:
    """Save the reminder interval in minutes, 0 for never; it applies to tables opened later."""
    User.objects.filter(pk=player.pk).update(reality_check_minutes=minutes)
    player.reality_check_minutes = minutes


def _time_today(player: User, found: dict[Scope, LimitState]) -> TimeToday:
    limit = found[TIME].in_force
    now = database_now()
    spans = spans_at_tables(person_of(player), since=now - WINDOW, until=now)
    played, until = total(spans), None
    if limit is not None and limit.number is not None:
        most = timedelta(minutes=limit.number)
        until = free_again(spans, most, WINDOW) if played >= most else None
    return TimeToday(played, limit, until)


def _time_verdict(player: User, found: dict[Scope, LimitState]) -> Verdict:
    limit = found[TIME].in_force
    if limit is None or limit.number is None:
        return ALLOWED
    today = _time_today(player, found)
    if today.until is None:
        return ALLOWED
    said = ngettext(
        "Your own limit since %(since)s is %(minutes)d minute at tables in 24 hours.",
        "Your own limit since %(since)s is %(minutes)d minutes at tables in 24 hours.",
        limit.number,
    ) % {"since": _moment(limit.applies_at), "minutes": limit.number}
    todo = _("It is used up. You can sit down again on %(until)s.")
    until = _moment(today.until)
    return Verdict(
        TimeLimitReached,
        f"{said} {todo % {'until': until}}",
        since=limit.applies_at,
        until=today.until,
    )


def _tables_refused(limit: OwnLimit, most: int) -> Verdict:
    said = ngettext(
        "Your own limit since %(since)s is %(n)d table at the same time.",
        "Your own limit since %(since)s is %(n)d tables at the same time.",
        most,
    ) % {"since": _moment(limit.applies_at), "n": most}
    todo = _("Finish or leave a game first.")
    return Verdict(TableLimitReached, f"{said} {todo}", since=limit.applies_at)


def _moment(moment: datetime) -> str:
    return str(date_format(timezone.localtime(moment), "j M Y, H:i"))


def _lock(player: User) -> None:
    with connection.cursor() as cursor:
        # Only the lower half of the key: players who share it merely wait for each other.
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [SEATS_LOCK, player.pk % 2**31])
