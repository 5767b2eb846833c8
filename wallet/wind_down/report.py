"""The daily report of money owed where play for money is closed: saved and e-mailed."""

from __future__ import annotations

from smtplib import SMTPException

import structlog
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction

from core.clock import database_now
from wallet.ledger.days import site_day
from wallet.ledger.money import as_text
from wallet.wind_down.models import OwedLine, OwedReport
from wallet.wind_down.owed import owed_in_wind_down

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
