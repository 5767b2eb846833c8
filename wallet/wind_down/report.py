"""Money owed to players where play for money is closed (RB 11.6), reported once a day.

The report is saved and e-mailed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from smtplib import SMTPException

import structlog
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Count, F, Q, Sum

from core.clock import database_now
from players.accounts.places import present_code
from players.eligibility.places.models import Offer
from players.eligibility.places.regions import region_in_force
from wallet.ledger.days import site_day
from wallet.ledger.models import PLAYER_KINDS, Account
from wallet.ledger.money import as_text
from wallet.stakes.models import Stake, StakePart
from wallet.wind_down.models import OwedLine, OwedReport

log = structlog.get_logger(__name__)


def report_owed() -> list[OwedReport]:
    """Create the day's missing reports, and send those not sent; idempotent.

    A day without anything owed has no report.
    """
    made = [made for currency in settings.CASH_CURRENCIES if (made := _make(currency))]
    for report in OwedReport.objects.unmailed():
        _send(report.pk)
    return made


@transaction.atomic
def _make(currency: str) -> OwedReport | None:
    day = site_day()
    if OwedReport.objects.filter(day=day, currency=currency).exists():
        return None
    owed = list(owed_in_wind_down(currency))
    if not owed:
        return None
    report, is_new = OwedReport.objects.get_or_create(
        day=day, currency=currency, defaults={"made_at": database_now()}
    )
    if not is_new:  # Created concurrently by another worker.
        return None
    for line in owed:
        line.report = report
    OwedLine.objects.bulk_create(owed)
    return report


@transaction.atomic
def _send(report_id: int) -> None:
    """E-mail a report to all recipients; a failed one is sent by the next run."""
    if not settings.OWED_REPORT_EMAIL:
        return
    report = OwedReport.objects.unmailed().locked().filter(pk=report_id).first()
    if report is None:
        return
    subject = f"Wind-down report of {report.day}, {report.currency}"
    try:
        send_mail(subject, report_text(report), None, settings.OWED_REPORT_EMAIL)
    except (SMTPException, OSError) as error:
        log.warning("owed_report_not_sent", report=report.pk, error=str(error))
        return
    report.mailed_at = database_now()
    report.save(update_fields=["mailed_at"])


def report_text(report: OwedReport) -> str:
    """Return a report as the text of its e-mail, one paragraph per place."""
    paragraphs = [
        f"{line}: {line.get_offer_display()}\n"
        f"  {line.players} players with money; wallets {as_text(line.wallets)}, withdrawals "
        f"{as_text(line.withdrawals)}, in games {as_text(line.in_games)}, bonuses "
        f"{as_text(line.bonuses)}"
        for line in report.lines.select_related("report")
    ]
    return "\n".join([*paragraphs, ""])


Kind = Account.Kind


def owed_in_wind_down(currency: str) -> Iterator[OwedLine]:
    """Yield places where play for money is closed and players have money, the largest first.

    The lines and their report are not saved; `since` is when the offer began.
    """
    report = OwedReport(currency=currency)
    accounts = Account.objects.filter(
        currency=currency, kind__in=PLAYER_KINDS, player__is_bot=False
    )
    found = accounts.values_list("player__country", "player__region").annotate(
        people=Count("player", distinct=True, filter=~Q(balance_minor=0)),
        wallets=_sum_of(Kind.DEPOSIT, Kind.WINNINGS),
        withdrawals=_sum_of(Kind.WITHDRAWAL_HOLD),
        bonuses=_sum_of(Kind.BONUS, Kind.LOCKED_BONUS),
    )
    sums: dict[tuple[str, str], list[int]] = {}
    for country, region, *figures in found.order_by():
        place = country, present_code(country, region)
        before = sums.get(place, [0] * len(figures))
        sums[place] = [one + other for one, other in zip(before, figures, strict=True)]
    in_games = _in_games(currency)
    for (country, region), (people, *minor) in sorted(sums.items(), key=_most_first):
        row = region_in_force(country, region)
        offer = Offer(row.offer) if row else Offer.POINTS
        held = in_games[country, region]
        if offer != Offer.ALLOWED and any([*minor, held]):
            wallets, withdrawals, bonuses = minor
            line = OwedLine(
                report=report,
                country=country,
                region=region,
                offer=offer,
                players=people,
                wallets_minor=wallets,
                withdrawals_minor=withdrawals,
                bonuses_minor=bonuses,
                in_games_minor=held,
            )
            line.since = row.begins_at if row else None
            yield line


def _most_first(place: tuple[tuple[str, str], list[int]]) -> tuple[int, ...]:
    """Return the sort key of a place: wallets, then withdrawals."""
    _, (_people, wallets, withdrawals, *_rest) = place
    return -wallets, -withdrawals


def _sum_of(*kinds: Account.Kind) -> Sum:
    return Sum("balance_minor", filter=Q(kind__in=kinds), default=0)


def _in_games(currency: str) -> Counter[tuple[str, str]]:
    """Return players' money in unfinished games, by place of residence."""
    parts = StakePart.objects.filter(
        stake__in=Stake.objects.live(), account__currency=currency, stake__player__is_bot=False
    )
    left = F("amount_minor") - F("consumed_minor") - F("returned_minor")
    sums = parts.values_list("stake__player__country", "stake__player__region")
    found: Counter[tuple[str, str]] = Counter()
    for country, region, held in sums.annotate(held=Sum(left)).order_by():
        found[country, present_code(country, region)] += int(held)
    return found
