"""A player's own figures: by week for the page, and since sign-in for the reality check."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from allauth.usersessions.models import UserSession
from django.conf import settings

from core.clock import database_now
from players.accounts.models import User
from players.accounts.zones import site_today
from tables.responsible.flows import Flow, closed_later, flows, flows_by_week, still_in_games
from tables.responsible.time_played import Span, spans_at_tables
from tables.responsible.verdicts import time_today
from wallet.ledger.amounts import Amount

WEEKS: Final = 12


@dataclass(frozen=True, slots=True)
class WeekFigures:
    """One week from Monday, in the installation's time zone."""

    week: date
    minutes: int
    paid: Amount
    back: Amount
    net: Amount


@dataclass(frozen=True, slots=True)
class SinceSignIn:
    """Money in one currency since sign-in; `net` includes money still in games."""

    paid: Amount
    back: Amount
    in_games: Amount
    net: Amount


@dataclass(frozen=True, slots=True)
class RealityCheck:
    """A player's time at tables and results since sign-in."""

    # In minutes; 0 for no reminders.
    interval_minutes: int
    signed_in_at: datetime
    server_now: datetime
    # Minutes at tables within 24 hours, the player's own limit, and when play is possible again.
    played_minutes: int
    limit_minutes: int | None
    limit_until: datetime | None
    money: list[SinceSignIn]


def weekly_figures(player: User, currency: str) -> list[WeekFigures]:
    """Return the last weeks, the current one last."""
    today = site_today()
    monday = today - timedelta(days=today.weekday())
    mondays = [monday - timedelta(weeks=back) for back in reversed(range(WEEKS))]
    by_week = flows_by_week(player, currency, mondays[0])
    spans = spans_at_tables([player.pk], since=_begin(mondays[0]), until=database_now())
    return [_week(each, by_week.get(each, Flow()), spans, currency) for each in mondays]


def reality_check(player: User, session_key: str | None) -> RealityCheck:
    """Return a player's winnings and losses since sign-in.

    The stake of a game that was entered earlier and has ended since counts as put into games, so
    that its return is not shown as a win.
    """
    since = signed_in_at(player, session_key)
    by_currency, held = flows(player, since=since), still_in_games(player, since)
    earlier = closed_later(player, since)
    today = time_today(player)
    return RealityCheck(
        interval_minutes=player.reality_check_minutes,
        signed_in_at=since,
        server_now=database_now(),
        played_minutes=int(today.played.total_seconds()) // 60,
        limit_minutes=today.limit.number if today.limit else None,
        limit_until=today.until,
        money=[
            SinceSignIn(
                paid=Amount.of(flow.paid_minor + earlier.get(currency, 0), currency),
                back=Amount.of(flow.back_minor, currency),
                in_games=Amount.of(held.get(currency, 0), currency),
                net=Amount.of(
                    flow.net_minor + held.get(currency, 0) - earlier.get(currency, 0), currency
                ),
            )
            for currency, flow in sorted((dict.fromkeys(earlier, Flow()) | by_currency).items())
        ],
    )


def signed_in_at(player: User, session_key: str | None) -> datetime:
    """Return when the session began, or without a session the account's last sign-in."""
    began: datetime | None = (
        UserSession.objects.filter(user=player, session_key=session_key or "")
        .values_list("created_at", flat=True)
        .first()
    )
    return began or player.last_login or player.date_joined


def _week(monday: date, flow: Flow, spans: list[Span], currency: str) -> WeekFigures:
    begins, ends = _begin(monday), _begin(monday + timedelta(weeks=1))
    within = (min(to, ends) - max(since, begins) for since, to in spans)
    played = sum((part for part in within if part > timedelta()), timedelta())
    return WeekFigures(
        week=monday,
        minutes=int(played.total_seconds()) // 60,
        paid=Amount.of(flow.paid_minor, currency),
        back=Amount.of(flow.back_minor, currency),
        net=Amount.of(flow.net_minor, currency),
    )


def _begin(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=ZoneInfo(settings.TIME_ZONE)).astimezone(UTC)
