"""The daily report of what is still owed where play for money is closed: kept, and sent out."""

from __future__ import annotations

from smtplib import SMTPException

import structlog
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction

from core.clock import database_now
from wallet.ledger.days import site_day
from wallet.ledger.money import as_text, minor_units
from wallet.wind_down.models import OwedLine, OwedReport
from wallet.wind_down.owed import owed_in_closed_places

log = structlog.get_logger(__name__)


def report_owed() -> list[OwedReport]:
    """Make the day's reports that are not made yet, and send those that are not sent.

    A day on which nothing is owed there has no report. Repeated, it makes and sends nothing twice.
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
    owed = list(owed_in_closed_places(currency))
    if not owed:
        return None
    report, is_new = OwedReport.objects.get_or_create(
        day=day, currency=currency, defaults={"made_at": database_now()}
    )
    if not is_new:  # Made at once by another worker.
        return None
    OwedLine.objects.bulk_create(
        OwedLine(
            report=report,
            country=row.country,
            region=row.region,
            offer=row.offer,
            players=row.players,
            wallets_minor=minor_units(row.wallets),
            withdrawals_minor=minor_units(row.withdrawals),
            in_games_minor=minor_units(row.in_games),
            bonuses_minor=minor_units(row.bonuses),
        )
        for row in owed
    )
    return report


@transaction.atomic
def _send(report_id: int) -> None:
    """Send a report to all who get it; one that fails is sent by the next run."""
    if not settings.OWED_REPORT_EMAIL:
        return
    report = OwedReport.objects.unmailed().locked().filter(pk=report_id).first()
    if report is None:
        return
    subject = f"Owed in closed places on {report.day}, {report.currency}"
    try:
        send_mail(subject, as_words(report), None, settings.OWED_REPORT_EMAIL)
    except (SMTPException, OSError) as error:
        log.warning("owed_report_not_sent", report=report.pk, error=str(error))
        return
    report.mailed_at = database_now()
    report.save(update_fields=["mailed_at"])


def as_words(report: OwedReport) -> str:
    """Return a report as its e-mail has it, a place a paragraph."""
    paragraphs = [
        f"{line}: {line.get_offer_display()}\n"
        f"  {line.players} players with money; wallets {as_text(line.wallets)}, withdrawals "
        f"{as_text(line.withdrawals)}, in games {as_text(line.in_games)}, bonuses "
        f"{as_text(line.bonuses)}"
        for line in report.lines.select_related("report")
    ]
    return "\n".join([*paragraphs, ""])
