"""The queues and figures of the dashboard, each shown to staff with the permission for its data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import redis
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.pages.dates import short_day
from finance.reports.definitions.liabilities import OWED
from finance.reports.frame.models import DailyClose
from players.accounts.models import User
from staff.dashboard.queues import QUEUES, WITHDRAWALS, Queue
from staff.monitoring.metrics import queue_depths
from tables.integrity.moderation.table_figures import (
    STUCK_AFTER,
    last_sweep,
    people_at_tables,
    stuck_tables,
    unsettled_deals,
)
from tables.models.tables import Drain, Table
from tables.templatetags.table_text import lasting
from tournaments.planning.models import Tournament
from wallet.audit.models import AuditRun, WithdrawalFreeze
from wallet.ledger.models import Account
from wallet.ledger.money import as_text
from wallet.stakes.balances import TrialRow, trial_balance

# Ages after which a process must have stopped.
SWEEP_LATE: Final = timedelta(seconds=10)
SETTLING_LATE: Final = timedelta(seconds=30)
AUDIT_LATE: Final = timedelta(hours=26)
# An audit time further ahead than this means that the servers' clocks differ.
CLOCKS_DIFFER: Final = timedelta(minutes=1)
# Queue length from which a warning is shown.
QUEUE_LONG: Final = 500


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of the dashboard, with a note, a link and a tone."""

    label: str
    number: str
    note: str = ""
    url: str = ""
    # "", "warn" or "bad".
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Pending:
    """A queue on the dashboard: its number of rows, and since when the oldest waits."""

    queue: Queue
    number: int
    since: datetime | None
    # A warning, if any.
    note: str = ""


Figures = Iterator[Figure]


def waiting(user: User, now: datetime) -> tuple[list[Pending], list[Pending]]:
    """Return the queues with pending rows, the longest waiting first, and the empty ones."""
    shown = [_pending(queue, now) for queue in QUEUES if queue.is_for(user)]
    return (
        sorted((one for one in shown if one.number), key=lambda one: one.since or now),
        [one for one in shown if not one.number],
    )


def _pending(queue: Queue, now: datetime) -> Pending:
    standing, note = queue.standing(), ""
    if queue in WITHDRAWALS and (late := queue.rows().filter(due_at__lt=now).count()):
        note = _("%(n)s later than promised") % {"n": late}
    return Pending(queue, standing.number, standing.since, note)


def tables(user: User, now: datetime, phases: dict[str, int]) -> Figures:
    """Yield the figures of tables and tournaments; `phases` has the live tables by phase."""
    if user.has_perm("tables.view_table"):
        live = reverse("admin:tables_table_live")
        waits = phases.get(Table.Phase.WAITING, 0)
        note = ngettext("%(n)s waits for players", "%(n)s wait for players", waits) % {"n": waits}
        yield Figure(_("Live tables"), str(sum(phases.values())), note, live)
        people, bots = people_at_tables()
        note = ngettext("and %(n)s bot", "and %(n)s bots", bots) % {"n": bots}
        yield Figure(_("Players at tables"), str(people), note, live)
        stuck = stuck_tables(now).count()
        note = _("late by more than %(span)s") % {"span": lasting(STUCK_AFTER)}
        yield Figure(
            _("Stuck tables"), str(stuck), note, f"{live}?stuck=1", (stuck and "bad") or ""
        )
        if drain := Drain.objects.on().first():
            url = _list("tables_drain")
            yield Figure(_("Draining"), _("yes"), drain.reason, url, "warn")
    if user.has_perm("tournaments.view_tournament"):
        states = Tournament.objects.live().by_state()
        running = states.get(Tournament.State.RUNNING, 0)
        opens = states.get(Tournament.State.REGISTERING, 0)
        note = ngettext("%(n)s takes entries", "%(n)s take entries", opens) % {"n": opens}
        url = _list("tournaments_tournament", "state__exact=running")
        yield Figure(_("Tournaments running"), str(running), note, url)


def system(user: User, now: datetime) -> Figures:
    """Yield the figures of the clock, the settling of deals and the workers' queues."""
    if not user.has_perm("tables.view_table"):
        return
    beat = last_sweep()
    if beat is None:
        yield Figure(_("Clock"), _("never ran"), tone="bad")
    else:
        age = now - beat
        tone = "bad" if age > SWEEP_LATE else ""
        yield Figure(_("Clock"), lasting(age), _("since its last sweep"), tone=tone)
    _number, since = unsettled_deals()
    lag = timedelta() if since is None else now - since
    yield Figure(
        _("Settle lag"),
        lasting(lag),
        _("the longest wait for scores"),
        tone="bad" if lag > SETTLING_LATE else "",
    )
    try:
        depths = queue_depths()
    except redis.RedisError:
        yield Figure(_("Queues"), _("unknown"), _("the broker does not answer"), tone="bad")
        return
    waiting = {name: depth for name, depth in depths.items() if depth}
    note = ", ".join(f"{name} {depth}" for name, depth in waiting.items())
    tone = "warn" if max(depths.values()) > QUEUE_LONG else ""
    note = note or _("all queues are empty")
    yield Figure(_("Messages waiting"), str(sum(depths.values())), note, tone=tone)


def books(user: User, now: datetime, rake: Mapping[str, str]) -> Figures:
    """Yield the figures of rake, liabilities to players, audit and daily close.

    `rake` is today's rake in each currency, as text.
    """
    for earned in rake.values():
        yield Figure(_("Rake today"), earned)
    if not rake and user.has_perm("wallet.view_auditrun"):
        yield Figure(_("Rake today"), "0", _("none in the last days"))
    if user.has_perm("wallet.view_account") and user.has_perm("wallet.view_auditrun"):
        yield from _liabilities()
    if not user.has_perm("wallet.view_auditrun"):
        return
    url = _list("wallet_auditrun")
    run = AuditRun.objects.first()
    if run is None:
        yield Figure(_("Last audit"), _("none yet"), url=url, tone="warn")
    else:
        full = AuditRun.objects.full().first()
        is_ahead = run.ran_at - now > CLOCKS_DIFFER
        is_late = full is None or now - full.ran_at > AUDIT_LATE
        tone = "bad" if run.differences else "warn" if is_late or is_ahead else ""
        found = ngettext("%(n)s difference", "%(n)s differences", run.differences)
        number = found % {"n": run.differences} if run.differences else _("ledger balanced")
        span = {"span": lasting(now - run.ran_at)}
        is_short = run.kind == AuditRun.Kind.SHORT
        note = (_("new entries only, %(span)s ago") if is_short else _("%(span)s ago")) % span
        if is_ahead:
            note = _("time is in the future: check the servers' clocks")
        yield Figure(_("Last audit"), number, note, url, tone)
    if freeze := WithdrawalFreeze.objects.active().first():
        url = _list("wallet_withdrawalfreeze")
        yield Figure(_("Withdrawals"), _("frozen"), freeze.reason, url, "bad")
    if user.has_perm("finance.view_dailyclose"):
        close = DailyClose.objects.first()
        number = short_day(close.day) if close else _("none yet")
        url = _list("finance_dailyclose")
        yield Figure(_("Last closed day"), number, url=url)


def _liabilities() -> Figures:
    kinds = {str(Account.Kind(kind).label) for kind in OWED}
    owed: dict[str, list[TrialRow]] = {}
    for row in trial_balance():
        if row.kind in kinds:
            owed.setdefault(row.currency, []).append(row)
    url = _list("wallet_auditrun")
    for rows in owed.values():
        total = sum((row.balance for row in rows[1:]), rows[0].balance)
        yield Figure(_("Owed to players"), as_text(total), url=url)


def _list(name: str, query: str = "") -> str:
    url = reverse(f"admin:{name}_changelist")
    return f"{url}?{query}" if query else url


def all_of(
    user: User, now: datetime, phases: dict[str, int], rake: Mapping[str, str]
) -> Sequence[tuple[str, list[Figure]]]:
    """Return the sections of the dashboard that this person may see, with their figures."""
    parts: tuple[tuple[str, Callable[[], Figures]], ...] = (
        (_("Tables"), lambda: tables(user, now, phases)),
        (_("Ledger"), lambda: books(user, now, rake)),
        (_("System"), lambda: system(user, now)),
    )
    filled = [(title, list(figures())) for title, figures in parts]
    return [(title, figures) for title, figures in filled if figures]
