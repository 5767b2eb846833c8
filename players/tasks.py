from __future__ import annotations

from celery import shared_task

from core.clock import database_now


@shared_task(name="players.close_lost_guests", ignore_result=True)
def close_lost_guests() -> None:
    """Deactivate guests without a session; run nightly by beat."""
    from players.sign_in.guests import actions as guests

    guests.close_lost_guests(now=database_now())


@shared_task(name="players.end_identity_checks", ignore_result=True)
def end_identity_checks() -> None:
    """Expire identities and delete documents that are due; run nightly by beat."""
    from players.identity import checks

    now = database_now()
    checks.expire_due(now=now)
    checks.delete_due(now=now)


@shared_task(name="players.forget_numbers", ignore_result=True)
def forget_numbers() -> None:
    """Delete former mobile numbers that no self-exclusion needs; run nightly by beat."""
    from players.eligibility import phone_exclusions

    phone_exclusions.forget_numbers(now=database_now())


@shared_task(name="players.send_phone_code", ignore_result=True)
def send_phone_code(number_id: int) -> None:
    """Send a code to a mobile number; enqueued when its player requests one."""
    from players.identity.phones import codes

    codes.send_code(number_id=number_id)


@shared_task(name="players.ask_identity_provider", ignore_result=True)
def ask_identity_provider(provider_check_id: int) -> None:
    """Send documents or poll for the answer; enqueued by submissions and providers' notices."""
    from players.identity import asking

    asking.ask(provider_check_id=provider_check_id, now=database_now())


@shared_task(name="players.ask_identity_providers", ignore_result=True)
def ask_identity_providers() -> None:
    """Process all provider checks that are due; run by beat."""
    from players.identity import asking

    asking.ask_due(now=database_now())


@shared_task(name="players.push_test", ignore_result=True)
def push_test(device_id: int) -> None:
    """Send a test notification to a device; enqueued when its player requests one."""
    from players.notifications import pushing

    pushing.push_test(device_id=device_id, now=database_now())


@shared_task(name="players.mail_notifications", ignore_result=True)
def mail_notifications() -> None:
    """Send due e-mails; enqueued with each notification and run by beat as a sweep."""
    from players.cases import help_requests
    from players.notifications import actions as notifications
    from players.sign_in.security import letters

    now = database_now()
    letters.mail_changes(now=now)
    notifications.mail_due(now=now)
    help_requests.mail_answers(now=now)


@shared_task(name="players.notify_of_place_change", ignore_result=True)
def notify_of_place_change(region_id: int) -> None:
    """Notify the players who live there; enqueued when the change is approved."""
    from players.eligibility.places.models import Region
    from players.notifications import place_changes

    region = Region.objects.get(pk=region_id)
    place_changes.notify_of_change(region=region, now=database_now())


@shared_task(name="players.notify_of_recent_place_changes", ignore_result=True)
def notify_of_recent_place_changes() -> None:
    """Notify players whom a lost task has left out; run by beat."""
    from players.notifications import place_changes

    place_changes.notify_of_recent_changes(now=database_now())


@shared_task(name="players.push_notifications", ignore_result=True)
def push_notifications() -> None:
    """Push due notifications; enqueued with each notification and run by beat as a sweep."""
    from players.notifications import pushing

    pushing.push_due(now=database_now())


@shared_task(name="players.delete_old_notifications", ignore_result=True)
def delete_old_notifications() -> None:
    """Delete old notifications, changes and push subscriptions; run nightly by beat."""
    from players.notifications import actions as notifications
    from players.sign_in.devices import actions as devices
    from players.sign_in.security import letters

    now = database_now()
    notifications.delete_old(now=now)
    letters.delete_old(now=now, kept=notifications.KEPT)
    devices.delete_signed_out(now=now)


@shared_task(
    name="players.send_enrolment_link",
    ignore_result=True,
    autoretry_for=(OSError,),
    retry_backoff=60,
    max_retries=5,
)
def send_enrolment_link(link_id: int) -> None:
    """Send an enrolment link to a member of staff; enqueued when it is created."""
    from players.sign_in import enrolment

    enrolment.mail_link(link_id)


@shared_task(name="players.send_password_reset", ignore_result=True)
def send_password_reset(email: str, site: str, language: str) -> None:
    """Send the password reset e-mail; enqueued by the form."""
    from players.sign_in import password_reset

    password_reset.send_letter(email=email, site=site, language=language)
