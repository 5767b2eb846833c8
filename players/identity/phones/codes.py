"""Codes by text message, with which players prove that a mobile number is theirs."""

from __future__ import annotations

import json
import secrets
from datetime import timedelta
from http import HTTPStatus
from typing import Final

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.utils import translation
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from core.clock import database_now
from core.http import outgoing
from core.keyed_hashes import keyed_hash
from core.tasks import enqueue_on_commit
from players.accounts.models import User
from players.exceptions import BadPhoneCode, TooManyNumbers
from players.identity.phones.models import PhoneNumber
from players.identity.phones.numbers import masked, readable_number

DIGITS: Final = 6
VALID_FOR: Final = timedelta(minutes=10)
GUESSES_MAX: Final = 5
# Maximum codes to one number per day by all players, and by one player to one number.
CODES_PER_DAY: Final = 10
CODES_OF_PLAYER: Final = 3

log = structlog.get_logger(__name__)


def are_sent() -> bool:
    """Return whether codes are available: sent by SMS, or logged in a demo."""
    return bool(settings.SMS_URL) or settings.EPHEMERAL


@transaction.atomic(durable=True)
def ask_for_code(*, player_id: int) -> None:
    """Enqueue a code to the player's number, unless it is proved or there is none.

    Codes: `too_many_numbers`.
    """
    player = User.objects.locked().get(pk=player_id)
    number = PhoneNumber.objects.of_player(player).present().filter(proved_at=None).first()
    if number is None:
        return
    if number.codes_made >= CODES_OF_PLAYER:
        raise TooManyNumbers(_("We have sent you several codes. Try again tomorrow."))
    enqueue_on_commit("players.send_phone_code", number.pk)


def send_code(*, number_id: int) -> bool:
    """Create a code for a number and send it; return whether it was sent.

    Beyond `CODES_PER_DAY` to one number nothing is sent, and players do not learn why.
    """
    made = _made(number_id)
    if made is None:
        return False
    number, code = made
    to = readable_number(number)
    with translation.override(number.player.language):
        text = _("%(code)s is your code for %(site)s. Do not share it.")
        message = text % {"code": code, "site": settings.SITE_NAME}
    if not settings.SMS_URL:
        if settings.EPHEMERAL:
            log.info("phone_code", to=masked(to), text=message)
        return settings.EPHEMERAL
    headers = {"Content-Type": "application/json"}
    if settings.SMS_TOKEN:
        headers["Authorization"] = f"Bearer {settings.SMS_TOKEN}"
    body = json.dumps({"to": to, "text": message}).encode()
    try:
        status = outgoing.post(settings.SMS_URL, body, headers)
    except outgoing.NotSentError as error:
        log.warning("phone_code_not_sent", error=str(error))
        return False
    is_sent = HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES
    if not is_sent:
        log.warning("phone_code_not_sent", status=status)
    return is_sent


@transaction.atomic(durable=True)
def _made(number_id: int) -> tuple[PhoneNumber, str] | None:
    """Store a new code for a number if allowed; return both, or None. The caller sends it."""
    found = PhoneNumber.objects.locked().select_related("player").filter(pk=number_id)
    number = found.filter(proved_at=None, replaced_at=None).first()
    now = database_now()
    if number is None or number.codes_made >= CODES_OF_PLAYER:
        return None
    today = PhoneNumber.objects.filter(
        number_hash=number.number_hash, code_made_at__gt=now - timedelta(days=1)
    )
    if (today.aggregate(sum=Sum("codes_made"))["sum"] or 0) >= CODES_PER_DAY:
        log.warning("phone_codes_used_up", number=number.pk)
        return None
    code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
    number.code_hash = _hash(settings.IDENTITY_KEYS[0], number, code)
    number.code_made_at, number.code_guesses = now, 0
    number.codes_made += 1
    number.save(update_fields=["code_hash", "code_made_at", "code_guesses", "codes_made"])
    return number, code


def prove_number(*, player_id: int, code: str) -> PhoneNumber:
    """Check a code and mark the player's number as proved; a proved one stays so.

    A wrong guess is counted in a transaction of its own. Codes: `bad_phone_code`.
    """
    number = _guessed(player_id, "".join(code.split()))
    if number is None:
        raise BadPhoneCode(_("This code is wrong or has expired. Request a new one."))
    return number


@transaction.atomic(durable=True)
def _guessed(player_id: int, code: str) -> PhoneNumber | None:
    player = User.objects.locked().get(pk=player_id)
    number = PhoneNumber.objects.of_player(player).present().first()
    if number is None or number.proved_at is not None:
        return number
    now = database_now()
    is_open = number.code_made_at is not None and number.code_made_at > now - VALID_FOR
    if not number.code_hash or not is_open or number.code_guesses >= GUESSES_MAX:
        return None
    number.code_guesses += 1
    if _is_right(number, code):
        number.proved_at, number.code_hash = now, ""
    number.save(update_fields=["code_guesses", "proved_at", "code_hash"])
    return number if number.proved_at else None


def _is_right(number: PhoneNumber, code: str) -> bool:
    hashes = [_hash(key, number, code) for key in settings.IDENTITY_KEYS]
    return any(constant_time_compare(number.code_hash, each) for each in hashes)


def _hash(key: bytes | str, number: PhoneNumber, code: str) -> str:
    return keyed_hash(key, f"phone code:{number.public_id}:{code}")
