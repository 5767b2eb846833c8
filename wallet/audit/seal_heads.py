"""Send the newest seal off this host: to a mailbox or an HTTPS endpoint.

The owner of the database could rewrite the history and seal it again; it would be consistent, but
differ from the heads that others keep (`manage.py audit_ledger --head HASH`).
"""

from __future__ import annotations

from smtplib import SMTPException

import requests
import structlog
from django.conf import settings
from django.core.mail import send_mail

from wallet.audit.models import Seal, SentHead

TIMEOUT_SECONDS = 10

log = structlog.get_logger(__name__)


def destinations() -> list[str]:
    """Return the configured e-mail addresses and URL."""
    return [*settings.SEAL_HEADS_EMAIL, *filter(None, [settings.SEAL_HEADS_URL])]


def send_heads() -> list[SentHead]:
    """Send the newest seal to each destination that lacks it; return what was sent.

    Failed destinations are tried again in the next run.
    """
    head = Seal.objects.latest_first().first()
    if head is None:
        return []
    sent = []
    for place in destinations():
        if SentHead.objects.filter(sent_to=place, number=head.number).exists():
            continue
        try:
            _post(head, place) if place.startswith("http") else _mail(head, place)
        except (requests.RequestException, SMTPException, OSError) as error:
            log.warning("seal_head_not_sent", sent_to=place, number=head.number, error=str(error))
            continue
        sent.append(SentHead.objects.create(number=head.number, hash=head.hash, sent_to=place))
    return sent


def _mail(head: Seal, address: str) -> None:
    subject = f"Seal {head.number} of {settings.PUBLIC_URL or 'the ledger'}"
    send_mail(subject, f"{head}\n", None, [address])


def _post(head: Seal, url: str) -> None:
    token = settings.SEAL_HEADS_TOKEN
    answer = requests.post(
        url,
        json={
            "site": settings.PUBLIC_URL,
            "number": head.number,
            "hash": head.hash,
            "sealed_at": head.sealed_at.isoformat(),
        },
        headers={"Authorization": f"Bearer {token}"} if token else {},
        timeout=TIMEOUT_SECONDS,
        allow_redirects=False,
    )
    answer.raise_for_status()
    if answer.status_code >= 300:
        raise requests.RequestException(f"{url} answered {answer.status_code}")
