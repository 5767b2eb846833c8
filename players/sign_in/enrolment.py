"""Enrolment of staff: a link by e-mail lets a member of staff set up their first second factor.

A password alone is not enough, because its thief could enrol a factor of their own. The link is
signed, expires, is valid once, and is sent to the address that a superuser has entered.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.core import signing
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from core import audit_log
from core.clock import database_now
from core.tasks import enqueue_on_commit
from players.accounts.models import User
from players.exceptions import BadEnrolmentLink, EnrolmentRefused, TooManyLinks
from players.notifications.models import Notification
from players.notifications.steps import Recipient, notify
from players.sign_in.security.changes import has_factor, record_change
from players.sign_in.security.models import AccountChange, FactorLink

VALID_FOR: Final = timedelta(hours=24)
# Minimum time between two links to one person.
ANOTHER_AFTER: Final = timedelta(minutes=5)
# How long a session that has used a link may set up the factor.
SECONDS_TO_ENROL: Final = 30 * 60
SALT: Final = "players.sign_in.enrolment"
# Session key of the end of that time, in seconds since 1970.
GRANT: Final = "enrolment_until"
COMMAND: Final = "enrolment_link"


def may_get_link(player: User) -> bool:
    """Return whether an account is active staff with an address and without a second factor."""
    is_staff = player.is_staff and player.is_active and bool(player.email)
    return is_staff and not has_factor(player)


@transaction.atomic
def make_link(*, player: User, by: User | None) -> FactorLink:
    """Create a link for a member of staff without a factor; `by` is None for the command.

    Write an audit entry and notify the superusers. Codes: `enrolment_refused`.
    """
    player = User.objects.locked().get(pk=player.pk)
    if not may_get_link(player):
        raise EnrolmentRefused(
            _("Only active staff with an e-mail address and no second factor can get a link.")
        )
    now = database_now()
    link = FactorLink.objects.create(
        player=player,
        sent_to=str(player.email).lower(),
        made_by=by,
        made_at=now,
        expires_at=now + VALID_FOR,
    )
    if by is None:
        audit_log.record_of_service(
            service=COMMAND, act="make_link", row=link, before={}, about=player
        )
    else:
        audit_log.record(by=by, act="make_link", row=link, about=player)
    _notify_superusers(player, Notification.Kind.FACTOR_LINK, f"factor-link:{link.pk}")
    return link


@transaction.atomic
def send_link(*, player: User, by: User) -> FactorLink:
    """Create a link and send it to the account's address. Codes as for `make_link`."""
    link = make_link(player=player, by=by)
    enqueue_on_commit("players.send_enrolment_link", link.pk)
    return link


@transaction.atomic(durable=True)
def ask_for_link(*, player: User) -> FactorLink:
    """Send a link at the person's own request. Codes: `too_many_links`, and as `make_link`."""
    User.objects.locked().get(pk=player.pk)
    newest = FactorLink.objects.of_player(player).first()
    if newest is not None and newest.made_at > database_now() - ANOTHER_AFTER:
        raise TooManyLinks(_("A link was sent a few minutes ago. Check your mailbox."))
    return send_link(player=player, by=player)


@transaction.atomic(durable=True)
def use_link(*, token: str, player: User) -> FactorLink:
    """Use a link, and make its address the account's verified and primary one.

    Unverified addresses of the account are deleted, because allauth allows no factor with them.
    Raise `BadEnrolmentLink` for a link that is used, replaced, expired or another account's.
    """
    User.objects.locked().get(pk=player.pk)
    link = FactorLink.objects.locked().filter(pk=_key_of(token), player=player).first()
    newest = FactorLink.objects.of_player(player).first()
    now = database_now()
    is_good = link is not None and link == newest and link.used_at is None
    if link is None or not is_good or link.expires_at <= now or has_factor(player):
        raise BadEnrolmentLink(_("This link is used, has expired or belongs to another account."))
    if link.sent_to != (player.email or "").lower():
        raise BadEnrolmentLink(_("The account's address has changed. Request another link."))
    before = audit_log.facts(link)
    link.used_at = now
    link.save(update_fields=["used_at"])
    _verify_address(player, link.sent_to)
    audit_log.record(by=player, act="use_link", row=link, before=before, about=player)
    return link


def grant(session: Any) -> None:
    """Let a session that has used a link set up the factor for `SECONDS_TO_ENROL`."""
    session[GRANT] = int(database_now().timestamp()) + SECONDS_TO_ENROL


def is_granted(session: Any) -> bool:
    return bool(session.get(GRANT, 0) > database_now().timestamp())


def address_of(link: FactorLink) -> str:
    """Return the link's URL; only its path if `PUBLIC_URL` is not set."""
    token = signing.dumps(link.pk, salt=SALT)
    return f"{settings.PUBLIC_URL}{reverse('staff-enrol', args=[token])}"


def mail_link(link_id: int) -> None:
    """Send a link to its address, in the person's language; raise `OSError` on failure."""
    link = FactorLink.objects.select_related("player").get(pk=link_id)
    with translation.override(link.player.language):
        context = {
            "handle": link.player.handle,
            "link": address_of(link),
            "hours": int(VALID_FOR.total_seconds()) // 3600,
        }
        text = render_to_string("staff/enrolment_email.txt", context)
        subject = _("Pool Rummy: %(topic)s") % {"topic": _("Set up your second factor")}
    send_mail(subject, text, None, [link.sent_to])


@transaction.atomic
def note_factor(*, user: User, authenticator: Authenticator, **_signal: Any) -> None:
    """Signal receiver of new factors: log that of a member of staff, notify the superusers."""
    if user.is_staff:
        audit_log.record(by=user, act="set_up_factor", row=user, after={}, about=user)
        _notify_superusers(user, Notification.Kind.FACTOR_SET_UP, f"factor:{authenticator.pk}")


def _key_of(token: str) -> int:
    try:
        return int(signing.loads(token, salt=SALT, max_age=VALID_FOR))
    except (signing.BadSignature, TypeError, ValueError) as error:
        raise BadEnrolmentLink(_("This link is invalid or has expired.")) from error


def _verify_address(player: User, address: str) -> None:
    mine, _is_new = EmailAddress.objects.get_or_create(user=player, email=address)
    is_news = not (mine.verified and mine.primary)
    if not mine.set_verified():
        raise BadEnrolmentLink(_("Another account has this address. Contact a superuser."))
    EmailAddress.objects.filter(user=player, verified=False).delete()
    mine.set_as_primary()
    if is_news:
        kind = AccountChange.Kind.EMAIL_VERIFIED
        record_change(player=player, kind=kind, subject=address, but_not=[address])


def _notify_superusers(about: User, kind: Notification.Kind, key: str) -> None:
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=about.pk)
    recipients = [Recipient(each) for each in others]
    notify(recipients, kind=kind, key=key, subject=about.handle, now=database_now())
