"""The nightly search for colluding pairs; findings are saved with their figures."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Final

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Q

from tables.integrity.collusion import search
from tables.integrity.collusion.company import company
from tables.integrity.collusion.counts import Span
from tables.integrity.collusion.models import Finding, FindingFact
from tables.integrity.collusion.search import Figure
from tables.integrity.collusion.statistics import groups
from tables.models.tables import Table
from wallet.ledger.days import site_day
from wallet.ledger.money import PLAY_POINTS

log: Final = structlog.get_logger(__name__)


def search_last_days(now: datetime) -> None:
    """Search the last days up to yesterday, in each currency that is worth something."""
    last_day = site_day() - timedelta(days=1)
    first_day = last_day - timedelta(days=settings.COLLUSION_DAYS - 1)
    for currency in _currencies(first_day):
        find_pairs(span=Span(first_day, last_day, currency), now=now)


@transaction.atomic(durable=True)
def find_pairs(*, span: Span, now: datetime) -> list[Finding]:
    """Save the pairs of a span whose play together is not explained by chance, with figures.

    A pair already found for some of these days is not found again, so that deals never count
    twice against a player. Idempotent.
    """
    found = search.search(span)
    leads = groups(sorted(found.pairs))
    new = sorted(found.pairs - _found_before(span))
    # A constraint refuses the second of two concurrent searches.
    findings = Finding.objects.bulk_create(
        Finding(
            one_id=one,
            other_id=other,
            currency=span.currency,
            first_day=span.first_day,
            last_day=span.last_day,
            group_key=leads[one],
            tests=found.tests,
            threshold=found.threshold,
            found_at=now,
        )
        for one, other in new
    )
    by_pair = {(finding.one_id, finding.other_id): finding for finding in findings}
    facts = [
        _fact(by_pair[figure.pair], figure) for figure in found.figures if figure.pair in by_pair
    ]
    for pair, fact in company(span, list(by_pair)):
        fact.finding = by_pair[pair]
        facts.append(fact)
    FindingFact.objects.bulk_create(facts)
    log.info("collusion_searched", currency=span.currency, figures=found.tests, found=len(new))
    return findings


def _found_before(span: Span) -> frozenset[tuple[int, int]]:
    overlapping = Finding.objects.filter(
        Q(first_day__lte=span.last_day, last_day__gte=span.first_day), currency=span.currency
    )
    return frozenset(overlapping.values_list("one", "other"))


def _currencies(since: date) -> list[str]:
    played = Table.objects.filter(Q(finished_at__isnull=True) | Q(finished_at__date__gte=since))
    worth = played.exclude(currency=PLAY_POINTS).order_by("currency")
    return list(worth.values_list("currency", flat=True).distinct())


def _fact(finding: Finding, figure: Figure) -> FindingFact:
    return FindingFact(
        finding=finding,
        kind=figure.kind,
        giver_id=figure.giver,
        seen=round(figure.seen),
        cases=round(figure.cases),
        expected=figure.expected,
        base_seen=round(figure.base.hits),
        base_cases=round(figure.base.cases),
        z=figure.z,
    )
