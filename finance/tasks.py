"""Celery tasks of finance."""

from __future__ import annotations

from celery import shared_task


@shared_task(name="finance.close_days", ignore_result=True)
def close_days() -> None:
    """Close all days that are over. Beat sends this after midnight in India."""
    from finance.closing import actions as closing

    closing.close_days()


@shared_task(name="finance.write_export", ignore_result=True)
def write_export(job_id: int) -> None:
    """Write an export's file. Sent when a job is queued, and again by the sweep if unfinished."""
    from finance.reports.exports import jobs as export_jobs

    export_jobs.write_export(job_id=job_id)


@shared_task(name="finance.sweep_exports", ignore_result=True)
def sweep_exports() -> None:
    """Resume unfinished exports and delete expired files. Beat sends this twice a minute."""
    from finance.reports.exports import jobs as export_jobs

    export_jobs.sweep_exports()


@shared_task(name="finance.mail_export", ignore_result=True)
def mail_export(job_id: int) -> None:
    """E-mail that an export has ended. Sent at its end, and again by the sweep until it is sent."""
    from finance.reports.desk import mail

    mail.mail_export(job_id=job_id)


@shared_task(name="finance.sweep_webhooks", ignore_result=True)
def sweep_webhooks() -> None:
    """Plan deliveries of new events and queue those that are due. Beat sends it every 5 s."""
    from finance.webhooks import delivering

    delivering.sweep_webhooks()


@shared_task(name="finance.deliver_webhooks", ignore_result=True)
def deliver_webhooks(endpoint_id: int) -> None:
    """Send an endpoint its due deliveries. The sweep sends this for each such endpoint."""
    from finance.webhooks import delivering

    delivering.deliver_webhooks(endpoint_id=endpoint_id)


@shared_task(name="finance.forget_events", ignore_result=True)
def forget_events() -> None:
    """Delete events older than a month. Beat sends this once a day."""
    from finance.webhooks import delivering

    delivering.forget_events()
