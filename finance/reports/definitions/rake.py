"""Rake by day, template, variant and tournament: all movements of rake accounts."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, TypedDict
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import F, Max, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import TruncDate

from finance.reports.frame.models import DailyClose, DailyTotal
from finance.reports.frame.report import Question, Report, Row, Totals, Whole, figures
from tables.models.tables import Table
from tournaments.planning.models import Tournament
from wallet.ledger.models import Account, Entry

Kind = Account.Kind
# Template, variant, tournament. `NO_GAME` is for manual adjustments and their reversals.
Source = tuple[str | None, str | None, UUID | None]
NO_GAME: Source = (None, None, None)


class RakeRow(TypedDict):
    """The rake of a day from one template and variant, or from one tournament."""

    day: date
    currency: str
    template: str | None
    variant: str | None
    tournament: UUID | None
    games: int
    rake_minor: int
    rake: Decimal


def rows(question: Question) -> list[Row]:
    """Return rake sums; a transfer's game is found by the escrow account that it moves."""
    raked = list(by_escrow(question))
    sources = sources_of({one["escrow"] for one in raked})
    sums: dict[tuple[date, str, Source], list[int]] = defaultdict(lambda: [0, 0])
    for one in raked:
        source = sources.get(one["escrow"], NO_GAME)
        of = sums[one["day"], one["currency"], source]
        of[0] += one["escrow"] is not None
        of[1] += int(one["minor"])
    return [
        {
            "day": day,
            "currency": currency,
            "template": source[0],
            "variant": source[1],
            "tournament": source[2],
            "games": games,
            **figures(currency, rake=minor),
        }
        for (day, currency, source), (games, minor) in sorted(sums.items(), key=_order)
    ]


def _order(sum_of: tuple[tuple[date, str, Source], list[int]]) -> tuple[date, str, list[str]]:
    (day, currency, source), _ = sum_of
    return day, currency, [str(name or "") for name in source]


def by_escrow(question: Question) -> QuerySet[Entry, Any]:
    """Return the movements of rake accounts, one row for each day, currency and game."""
    game = Entry.objects.filter(transfer=OuterRef("transfer"), account__kind=Kind.ESCROW).order_by(
        "pk"
    )
    zone = ZoneInfo(question.period.tz)
    day = (
        F("transfer__booked_on")
        if question.period.is_site_zone
        else TruncDate("transfer__created_at", tzinfo=zone)
    )
    return (
        question.entries()
        .filter(account__kind=Kind.RAKE)
        .annotate(escrow=Subquery(game.values("account")[:1]), day=day)
        .values("escrow", "day", "currency")
        .order_by("day", "currency", "escrow")
        .annotate(minor=Sum("amount_minor"))
    )


def sources_of(escrows: set[int | None]) -> dict[int | None, Source]:
    """Return the template, variant and tournament of each escrow account."""
    names = ("escrow_account", "template__slug", "profile__name", "public_id")
    tables = Table.objects.filter(escrow_account__in=escrows).values_list(*names)
    found = {escrow: (slug, variant, None) for escrow, slug, variant, _ in tables}
    held = Tournament.objects.filter(escrow_account__in=escrows).values_list(*names)
    return {
        **found,
        **{escrow: (slug, variant, name) for escrow, slug, variant, name in held},
    }


def totals(question: Question) -> Totals:
    """Return the sums by currency, which equal the movement of rake in the trial balance."""
    sums: Totals = {}
    for row in rows(question):
        total = sums.setdefault(row["currency"], {"games": 0, "rake_minor": 0})
        total["games"] += row["games"]
        total["rake_minor"] += row["rake_minor"]
    return sums


def rake_by_day(first: date, last: date) -> dict[str, dict[date, int]]:
    """Return the net movement of rake accounts in minor units, by currency and booking day.

    Closed days are read from their closes, open days from the ledger; days without a movement are
    left out. Makes three queries, whatever the number of games.
    """
    closed_until = DailyClose.objects.filter(day__lte=last).aggregate(day=Max("day"))["day"]
    found: dict[str, dict[date, int]] = defaultdict(dict)
    closed = DailyTotal.objects.filter(close__day__range=(first, last), account_kind=Kind.RAKE)
    for day, currency, gained in closed.values_list(
        "close__day", "currency", F("in_minor") - F("out_minor")
    ):
        found[currency][day] = int(gained)
    since = first if closed_until is None else max(first, closed_until + timedelta(days=1))
    booked = Entry.objects.filter(
        account__kind=Kind.RAKE, transfer__booked_on__gte=since, transfer__booked_on__lte=last
    ).order_by()
    for day, currency, gained in booked.values_list("transfer__booked_on", "currency").annotate(
        Sum("amount_minor")
    ):
        found[currency][day] = int(gained)
    return dict(found)


RAKE = Report("rake", "Rake", RakeRow, Whole(rows), totals, by_money=True)
