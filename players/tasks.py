from __future__ import annotations

from celery import shared_task


@shared_task(name="players.close_lost_guests", ignore_result=True)
def close_lost_guests() -> None:
    """Beat sends this once a night."""
    from django.utils import timezone

    from players.guests import actions as guests

    guests.close_lost_guests(now=timezone.now())


@shared_task(name="players.mail_notices", ignore_result=True)
def mail_notices() -> None:
    """Sent with every notice to be mailed, and by beat, which finds what a lost nudge left."""
    from django.utils import timezone

    from players.notifications import actions as notices

    notices.mail_due(now=timezone.now())


@shared_task(name="players.forget_old_notices", ignore_result=True)
def forget_old_notices() -> None:
    """Beat sends this once a night."""
    from django.utils import timezone

    from players.notifications import actions as notices

    notices.forget_old(now=timezone.now())


@shared_task(name="players.send_password_reset", ignore_result=True)
def send_password_reset(email: str, site: str, language: str) -> None:
    """Sent by the form for a new password."""
    from players.sign_in import password_reset

    password_reset.send_letter(email=email, site=site, language=language)
