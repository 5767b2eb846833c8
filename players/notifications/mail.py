"""One notice as an e-mail."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from players.accounts.models import User
from players.accounts.zones import zone_of
from players.notifications.models import Notice
from players.notifications.texts import address_of, words_of


def confirmed_address(player: User) -> str | None:
    """Return where the player reads mail; an address nobody has confirmed may be a stranger's."""
    verified = EmailAddress.objects.filter(user=player, verified=True)
    best: EmailAddress | None = verified.order_by("-primary", "pk").first()
    return str(best.email) if best else None


def send_notice(notice: Notice, *, player: User, address: str) -> None:
    """Send it in the player's language and time zone; raises `OSError` when it cannot be sent."""
    with translation.override(player.language), timezone.override(zone_of(player)):
        text = render_to_string(
            "players/notice_email.txt",
            {
                "handle": player.handle,
                "words": words_of(notice),
                "address": f"{settings.PUBLIC_URL}{address_of(notice)}",
                "choices": f"{settings.PUBLIC_URL}{reverse('notice-choices')}",
            },
        )
        subject = _("Pool Rummy: %(topic)s") % {"topic": notice.topic.label}
    send_mail(subject, text, None, [address])
