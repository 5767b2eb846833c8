"""What an installation needs before its first game: each item with its state and what to do.

Settings are judged by the deployment checks of `manage.py check --deploy`, processes by the checks
of `/readyz`; nothing is checked a second time here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import redis
from celery import current_app
from django.conf import settings
from django.contrib.auth.models import Group
from django.core.checks import ERROR, CheckMessage, run_checks
from django.db import connection
from django.db.models import Count, Q
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from kombu.exceptions import OperationalError

from core.models import AuditEntry, Lease
from players.accounts.models import User
from players.eligibility.places.models import Offer, Region
from players.sign_in.security.changes import has_factor
from staff.access.roles import ROLES
from staff.monitoring.health import HealthMiddleware
from staff.monitoring.metrics import QUEUES
from tables.models.templates import TableTemplate
from tables.templatetags.table_text import lasting
from wallet.audit.models import AuditRun
from wallet.ledger.money import PLAY_POINTS
from wallet.tax.invoices.models import Registration

GOOD: Final = "good"
WARN: Final = "warn"
BAD: Final = "bad"
# The tags of the deployment checks; others check the code, which tests do.
TAGS: Final = ("security", "settings", "roles")
# Ids of the checks that have an item of their own.
MAIL_CHECKS: Final = frozenset({"config.E019"})
CONTACT_CHECKS: Final = frozenset({"config.E020"})
FACTOR_CHECKS: Final = frozenset({"config.W001"})
# Of Django: the settings that HTTPS=1 makes.
HTTPS_CHECKS: Final = frozenset(
    {"security.W004", "security.W008", "security.W012", "security.W016"}
)
GEOIP_CHECKS: Final = frozenset(
    {"config.E016", "config.W014", "config.W015", "config.W016", "config.W017"}
)
# Roles whose work needs two people: one requests and the other approves.
PAIRED_ROLES: Final = frozenset({"Finance"})
BACKUP_LATE: Final = timedelta(hours=26)
AUDIT_LATE: Final = timedelta(hours=26)
BEAT_LATE: Final = timedelta(seconds=15)
INSPECT_SECONDS: Final = 0.7
# By the checks of `/readyz`: the title, and what to do.
READINESS: Final = {
    "database": (
        gettext_lazy("Database"),
        gettext_lazy("Start PostgreSQL and check DATABASE_URL."),
    ),
    "redis": (gettext_lazy("Redis"), gettext_lazy("Start Redis and check REDIS_URL.")),
    "migrations": (
        gettext_lazy("Migrations"),
        gettext_lazy("Run manage.py upgrade FILE as the owner of the database."),
    ),
    "schema": (
        gettext_lazy("Schema"),
        gettext_lazy("Continue with the release that created the database."),
    ),
    "clock": (
        gettext_lazy("Clock of the tables"),
        gettext_lazy("Start a worker for the queue “clock”, and beat."),
    ),
    "clock_skew": (
        gettext_lazy("Clocks of the servers"),
        gettext_lazy("Synchronize the clocks of the servers (NTP)."),
    ),
}


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to set up: its state, what was found, and what to do where."""

    title: Any
    # `GOOD`, `WARN` or `BAD`.
    tone: str
    found: str
    todo: Any = ""
    url: str = ""
    # A page of the documentation below `/docs/`.
    doc: str = ""

    @property
    def is_done(self) -> bool:
        return self.tone == GOOD


Items = Iterator[Item]


def all_items(now: datetime) -> list[tuple[str, list[Item]]]:
    """Return the items by subject."""
    checks = run_checks(tags=TAGS, include_deployment_checks=True)
    parts: tuple[tuple[str, Callable[[], Items]], ...] = (
        (_("Law and money"), _law_and_money),
        (_("Reaching players"), lambda: _reaching(checks)),
        (_("Security"), lambda: _security(checks, now)),
        (_("People and tables"), _people_and_tables),
        (_("Running processes"), lambda: _processes(now)),
    )
    return [(title, list(items())) for title, items in parts]


def _law_and_money() -> Items:
    yield _places()
    gateway = settings.DEPOSIT_GATEWAY
    todo = _("Set DEPOSIT_GATEWAY and the keys of the gateway in the environment.")
    if gateway == "sandbox":
        found = _("sandbox: every deposit is credited without a payment")
        yield Item(_("Payment gateway"), WARN, found, todo, doc="cashier/")
    else:
        tone = GOOD if gateway else BAD
        found = gateway or _("none: players cannot deposit")
        yield Item(_("Payment gateway"), tone, found, "" if gateway else todo, doc="cashier/")
    registered = Registration.objects.order_by("-starts_on").first()
    yield Item(
        _("Tax registration"),
        GOOD if registered else BAD,
        registered.legal_name if registered else _("no GSTIN: invoices have no issuer"),
        "" if registered else _("Add the legal name, address and GSTIN of the operator."),
        _list("wallet_registration"),
        "finance/",
    )


def _places() -> Item:
    countries = Region.objects.order_by().values_list("country", flat=True).distinct()
    in_force = [
        row for code in countries for row in Region.objects.filter(country=code).in_force().values()
    ]
    allowed = sum(row.offer == Offer.ALLOWED for row in in_force)
    closed = len(in_force) - allowed
    if not in_force:
        found, tone = _("no place is configured: players get play points only"), BAD
    else:
        found = _("money in %(allowed)s places, restricted in %(closed)s") % {
            "allowed": allowed,
            "closed": closed,
        }
        tone = GOOD if allowed else WARN
    todo = "" if allowed else _("Ask your lawyers where you may offer play for money, and add it.")
    return Item(
        _("Law and places"), tone, found, todo, _list("players_regionchange"), "operators/regions/"
    )


def _reaching(checks: list[CheckMessage]) -> Items:
    yield _checked(
        _("E-mail"),
        checks,
        MAIL_CHECKS,
        good=_("sent from %(address)s") % {"address": settings.DEFAULT_FROM_EMAIL},
    )
    contact = settings.CONTACT_EMAIL
    yield Item(
        _("Contact address"),
        GOOD if contact else BAD,
        contact or _("none: players cannot write to you by e-mail"),
        "" if contact else _("Set CONTACT_EMAIL in the environment."),
        reverse("contact"),
    )
    public = settings.PUBLIC_URL
    yield Item(
        _("Public address"),
        GOOD if public.startswith("https://") else WARN,
        public or _("none"),
        "" if public.startswith("https://") else _("Set PUBLIC_URL to the site's https address."),
    )


def _security(checks: list[CheckMessage], now: datetime) -> Items:
    own = MAIL_CHECKS | CONTACT_CHECKS | FACTOR_CHECKS | GEOIP_CHECKS | HTTPS_CHECKS
    others = [check for check in checks if check.id not in own]
    is_open = bool(HTTPS_CHECKS & {check.id for check in checks})
    yield Item(
        _("Encrypted connections"),
        BAD if is_open else GOOD,
        _("pages and sign-in cookies may be sent without encryption")
        if is_open
        else _("every page is sent over HTTPS"),
        _("Set HTTPS=1 in the environment, behind a proxy with a certificate.") if is_open else "",
        doc="operators/servers/",
    )
    for check in others:
        title = _("Setting %(check)s") % {"check": check.id}
        yield _of_check(title, check)
    if not others:
        yield Item(_("Settings"), GOOD, _("check --deploy reports nothing"))
    located = _("players are located by address") if settings.GEOIP_FILE else ""
    if located or GEOIP_CHECKS & {check.id for check in checks}:
        yield _checked(_("Geo file"), checks, GEOIP_CHECKS, good=located)
    else:
        found = _("none: only the declared place of players decides")
        yield Item(
            _("Geo file"), WARN, found, _("Set GEOIP_FILE to a file with regions."), doc="law/"
        )
    yield _backup(now)
    run = AuditRun.objects.full().first()
    is_late = run is None or now - run.ran_at > AUDIT_LATE
    yield Item(
        _("Ledger audit"),
        BAD if run and run.differences else WARN if is_late else GOOD,
        _("%(span)s ago") % {"span": lasting(now - run.ran_at)} if run else _("none yet"),
        _("Run manage.py audit_ledger; beat runs it every night.") if is_late else "",
        _list("wallet_auditrun"),
    )


def _checked(title: str, checks: list[CheckMessage], ids: frozenset[str], *, good: str) -> Item:
    """Return an item judged by the deployment checks with these ids; the worst is shown."""
    failed = sorted((check for check in checks if check.id in ids), key=lambda check: -check.level)
    if not failed:
        return Item(title, GOOD, good)
    return _of_check(title, failed[0])


def _of_check(title: str, check: CheckMessage) -> Item:
    tone = BAD if check.level >= ERROR else WARN
    return Item(title, tone, str(check.msg), str(check.hint or ""))


def _backup(now: datetime) -> Item:
    """Judge the last `manage.py backup`, or the last archived segment of the log."""
    taken = AuditEntry.objects.filter(kind="database", act="back_up").values_list("at", flat=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT last_archived_time FROM pg_stat_archiver")
        (archived,) = cursor.fetchone()
    last = max(filter(None, (taken.first(), archived)), default=None)
    is_fresh = last is not None and now - last < BACKUP_LATE
    found = _("%(span)s ago") % {"span": lasting(now - last)} if last else _("none yet")
    todo = _("Run manage.py backup FILE every day on another machine, and try to restore it.")
    if is_fresh:
        return Item(_("Backup"), GOOD, found)
    return Item(_("Backup"), BAD, found, todo, doc="operators/backups/")


def _people_and_tables() -> Items:
    staff = User.objects.filter(is_staff=True, is_active=True)
    without = [str(person) for person in staff.order_by("handle") if not has_factor(person)]
    yield Item(
        _("Second factor"),
        GOOD if settings.STAFF_MFA_REQUIRED and not without else BAD,
        _("missing for %(people)s") % {"people": ", ".join(without[:5])}
        if without
        else _("all staff have one")
        if settings.STAFF_MFA_REQUIRED
        else _("not required"),
        _("Set STAFF_MFA_REQUIRED=1, and let each set one up.")
        if without or not settings.STAFF_MFA_REQUIRED
        else "",
        f"{_list('players_user')}?is_staff__exact=1",
        "admin/#second-factor",
    )
    active = Count("user", filter=Q(user__is_active=True, user__is_staff=True))
    held = dict(Group.objects.filter(name__in=ROLES).annotate(n=active).values_list("name", "n"))
    missing = (
        _("Give the role to a member of staff."),
        _("Give the role to two members of staff: one requests, the other approves."),
    )
    for role in ROLES:
        number, needed = held.get(role, 0), 2 if role in PAIRED_ROLES else 1
        yield Item(
            _("Role %(role)s") % {"role": role},
            GOOD if number >= needed else WARN,
            ngettext("%(n)s person", "%(n)s people", number) % {"n": number},
            "" if number >= needed else missing[role in PAIRED_ROLES],
            _list("players_user"),
            "admin/#roles",
        )
    offered = TableTemplate.objects.filter(is_offered=True)
    cash, points = (
        offered.exclude(currency=PLAY_POINTS).count(),
        offered.filter(currency=PLAY_POINTS).count(),
    )
    yield Item(
        _("First tables"),
        GOOD if cash or points else BAD,
        _("%(cash)s for money, %(points)s for play points") % {"cash": cash, "points": points},
        "" if cash or points else _("Add a table template; the lobby offers one table of each."),
        _list("tables_tabletemplate"),
        "tables/",
    )


def _processes(now: datetime) -> Items:
    passed = HealthMiddleware(lambda request: HttpResponse()).run_checks()
    for name, is_good in passed.items():
        title, todo = READINESS.get(name, (name, ""))
        if is_good:
            yield Item(title, GOOD, _("in order"))
        else:
            yield Item(title, BAD, _("not ready"), todo, doc="operations/#health-checks")
    beat = Lease.objects.filter(name="beat").first()
    runs = beat is not None and now - beat.renewed_at < BEAT_LATE
    yield Item(
        _("Periodic tasks"),
        GOOD if runs else BAD,
        _("beat sends them") if runs else _("beat does not run"),
        "" if runs else _("Start celery beat (service “beat”)."),
    )
    yield _workers()


def _workers() -> Item:
    title = _("Workers")
    try:
        answers: Any = current_app.control.inspect(timeout=INSPECT_SECONDS).active_queues() or {}
    except (OperationalError, redis.RedisError):
        return Item(title, BAD, _("the broker does not answer"), str(READINESS["redis"][1]))
    consumed = {queue["name"] for queues in answers.values() for queue in queues}
    idle = [queue for queue in QUEUES if queue not in consumed]
    if not idle:
        return Item(title, GOOD, _("all queues are consumed"))
    found = _("no worker for %(queues)s") % {"queues": ", ".join(idle)}
    return Item(title, BAD, found, _("Start a worker for each queue."), doc="operations/")


def _list(model: str) -> str:
    return reverse(f"admin:{model}_changelist")
