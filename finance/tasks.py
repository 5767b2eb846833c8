"""What finance does for itself while nobody waits."""

from __future__ import annotations

from celery import shared_task


@shared_task(name="finance.close_days", ignore_result=True)
def close_days() -> None:
    """Beat sends this after midnight in India; days missed are caught up with."""
    from finance.closing import actions as closing

    closing.close_days()


@shared_task(name="finance.write_export", ignore_result=True)
def write_export(job_id: int) -> None:
    """Sent when a job is queued; the sweep sends it again for what was left lying."""
    from finance.reports.exports import jobs as export_jobs

    export_jobs.write_export(job_id=job_id)


@shared_task(name="finance.sweep_exports", ignore_result=True)
def sweep_exports() -> None:
    """Beat sends this twice a minute; files past their time are deleted."""
    from finance.reports.exports import jobs as export_jobs

    export_jobs.sweep_exports()


@shared_task(name="finance.sweep_webhooks", ignore_result=True)
def sweep_webhooks() -> None:
    """Beat sends this every five seconds: new events, and what a lost message left."""
    from finance.webhooks import delivering

    delivering.sweep_webhooks()


@shared_task(name="finance.deliver_webhooks", ignore_result=True)
def deliver_webhooks(endpoint_id: int) -> None:
    """Sent by the sweep for each address that something is due for."""
    from finance.webhooks import delivering

    delivering.deliver_webhooks(endpoint_id=endpoint_id)


@shared_task(name="finance.forget_events", ignore_result=True)
def forget_events() -> None:
    """Beat sends this once a day; events are kept for a month."""
    from finance.webhooks import delivering

    delivering.forget_events()
