"""Markers of harm: facts on how a player plays, without a score."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Final

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery, Sum

from core.clock import database_now
from players.accounts.models import User
from players.accounts.zones import site_zone
from players.limits.models import OwnLimit
from tables.responsible.flows import IN_GAMES, Flow, flows
from tables.responsible.time_played import Span, spans_at_tables, total
from wallet.deposits.models import Deposit
from wallet.ledger.amounts import Amount
from wallet.ledger.models import Bucket, Entry
from wallet.withdrawals.models import Withdrawal

SPAN: Final = timedelta(days=30)
NIGHT: Final = (time(0), time(5))
A_DAY: Final = timedelta(days=1)
LISTED: Final = 50


@dataclass(frozen=True, slots=True)
class Markers:
    """One player's markers within a period, in one currency."""

    deposits: int
    deposited: Amount
    # Deposits on days with a net loss.
    deposits_on_loss_days: int
    # Deposits within a day after a withdrawal request.
    deposits_after_withdrawals: int
    # Own limits raised or removed, each of which takes effect after a day.
    limits_raised: int
    minutes: int
    # Between midnight and five, in the installation's time zone.
    night_minutes: int
    # Negative for a loss.
    net: Amount


@dataclass(frozen=True, slots=True)
class Noticed:
    """A player with conspicuous deposits or raised limits."""

    player: User
    deposits_on_loss_days: int
    deposits_after_withdrawals: int
    limits_raised: int


def markers(player: User, currency: str, *, since: datetime, until: datetime) -> Markers:
    """Return a player's markers within a period."""
    credited = _credited(currency, since, until).filter(player=player)
    sums = credited.aggregate(number=Count("pk"), minor=Sum("amount_minor", default=0))
    spans = spans_at_tables([player.pk], since=since, until=until)
    flow = flows(player, since=since, until=until).get(currency, Flow())
    return Markers(
        deposits=sums["number"],
        deposited=Amount.of(sums["minor"], currency),
        deposits_on_loss_days=_on_loss_days(credited).count(),
        deposits_after_withdrawals=_after_withdrawals(credited).count(),
        limits_raised=_raised(since, until).filter(player=player).count(),
        minutes=_minutes(total(spans)),
        night_minutes=_minutes(sum((_by_night(span) for span in spans), timedelta())),
        net=Amount.of(flow.net_minor, currency),
    )


def noticed(currency: str) -> list[Noticed]:
    """Return conspicuous players of the last 30 days, most deposits on days of losses first."""
    until = database_now()
    since = until - SPAN
    credited = _credited(currency, since, until)
    counts = [
        _by_player(rows)
        for rows in (_on_loss_days(credited), _after_withdrawals(credited), _raised(since, until))
    ]
    players = User.objects.filter(pk__in={key for one in counts for key in one}, is_active=True)
    found = [Noticed(player, *(one.get(player.pk, 0) for one in counts)) for player in players]
    found.sort(
        key=lambda one: (
            -one.deposits_on_loss_days,
            -one.deposits_after_withdrawals,
            -one.limits_raised,
            one.player.pk,
        )
    )
    return found[:LISTED]


def _credited(currency: str, since: datetime, until: datetime) -> QuerySet[Deposit]:
    return Deposit.objects.filter(
        currency=currency,
        transfer__created_at__gte=since,
        transfer__created_at__lt=until,
    )


def _on_loss_days(deposits: QuerySet[Deposit]) -> QuerySet[Deposit]:
    moved = Entry.objects.filter(
        account__player=OuterRef("player"),
        account__kind__in=Bucket.values,
        currency=OuterRef("currency"),
        booked_on=OuterRef("transfer__booked_on"),
        transfer__kind__in=IN_GAMES,
    )
    net = moved.order_by().values("account__player").annotate(net=Sum("amount_minor")).values("net")
    return deposits.alias(net=Subquery(net)).filter(net__lt=0)


def _after_withdrawals(deposits: QuerySet[Deposit]) -> QuerySet[Deposit]:
    """Return deposits credited within a day after a withdrawal request."""
    asked = Withdrawal.objects.filter(
        player=OuterRef("player"),
        currency=OuterRef("currency"),
        requested_at__lte=OuterRef("transfer__created_at"),
        requested_at__gt=OuterRef("transfer__created_at") - A_DAY,
    )
    return deposits.filter(Exists(asked))


def _raised(since: datetime, until: datetime) -> QuerySet[OwnLimit]:
    return OwnLimit.objects.filter(
        asked_at__gte=since, asked_at__lt=until, applies_at__gt=F("asked_at")
    )


def _by_player(rows: QuerySet[Deposit] | QuerySet[OwnLimit]) -> dict[int, int]:
    return dict(rows.order_by().values_list("player").annotate(number=Count("pk")))


def _by_night(span: Span) -> timedelta:
    """Return how much of a span is between midnight and five."""
    begins, ends = (moment.astimezone(site_zone()) for moment in span)
    day, spent = begins.date(), timedelta()
    while day <= ends.date():
        first, last = (datetime.combine(day, hour, tzinfo=site_zone()) for hour in NIGHT)
        spent += max(timedelta(), min(ends, last) - max(begins, first))
        day += timedelta(days=1)
    return spent


def _minutes(spent: timedelta) -> int:
    return int(spent.total_seconds()) // 60
