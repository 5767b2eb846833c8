"""The e-mail about an ended export: a link that needs the reader's session, never the data."""

from __future__ import annotations

import structlog
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from finance.reports.desk.descriptions import description_of, period_text
from finance.reports.exports.models import ExportJob
from finance.reports.frame.periods import Period
from players.accounts.models import User
from players.accounts.zones import zone_of
from players.notifications.mail import confirmed_address

log = structlog.get_logger(__name__)


@transaction.atomic(durable=True)
def mail_export(*, job_id: int) -> None:
    """Send the e-mail about an ended job once; if that fails, the sweep tries again."""
    job = ExportJob.objects.to_be_mailed().locked().filter(pk=job_id).first()
    if job is None or job.staff is None:
        return
    # A deleted file has no link to send.
    if job.status in (ExportJob.Status.DONE, ExportJob.Status.FAILED):
        address = confirmed_address(job.staff)
        if address is not None and not _is_sent(job, job.staff, address):
            return
    job.is_mail_due = False
    job.save(update_fields=["is_mail_due"])


def _is_sent(job: ExportJob, reader: User, address: str) -> bool:
    try:
        _send(job, reader, address)
    except OSError as error:  # Network failures and SMTP errors.
        log.warning("export_not_mailed", export=str(job.public_id), error=str(error))
        return False
    return True


def _send(job: ExportJob, reader: User, address: str) -> None:
    with translation.override(reader.language), timezone.override(zone_of(reader)):
        title = description_of(job.report).title
        text = render_to_string(
            "finance/export_email.txt",
            {
                "handle": reader.handle,
                "title": title,
                "period": period_text(Period(job.first_day, job.last_day, job.tz)),
                "job": job,
                "is_ready": job.status == ExportJob.Status.DONE,
                "address": f"{settings.PUBLIC_URL}{reverse('report-file', args=[job.public_id])}",
                "reports": f"{settings.PUBLIC_URL}{reverse('reports')}",
            },
        )
        subject = _("Pool Rummy: %(topic)s") % {"topic": title}
    send_mail(subject, text, None, [address])
