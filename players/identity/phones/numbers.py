"""Optional mobile numbers of players, which players set, change and remove themselves."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import phonenumbers
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from core import audit_log
from core.clock import DatabaseNow, database_now
from core.keyed_hashes import keyed_hash
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from players.accounts.places import INDIA
from players.exceptions import (
    BadPhoneNumber,
    DocumentGone,
    IdentityUnverified,
    NotForGuests,
    TooManyNumbers,
)
from players.identity.documents import seal, unseal
from players.identity.phones.models import PhoneNumber
from players.identity.states import current_verification

NUMBERS_PER_DAY: Final = 5
SHOWN: Final = 3
# The metadata of phonenumberslite counts the 1600 series, from which banks and ministries call, and
# other service numbers as mobile; Indian mobile numbers begin with 6 to 9.
INDIAN_MOBILE: Final = tuple("6789")
INDIA_CODE: Final = 91
MOBILE: Final = (
    phonenumbers.PhoneNumberType.MOBILE,
    phonenumbers.PhoneNumberType.FIXED_LINE_OR_MOBILE,
)


def normalised(typed: str, *, country: str = "") -> str:
    """Return a mobile number in E.164; without a country code it is read as one of `country`.

    Raise `BadPhoneNumber` if it is not a valid mobile number.

    >>> normalised("098765 43210")
    '+919876543210'
    """
    try:
        number = phonenumbers.parse(typed, country or INDIA)
    except phonenumbers.NumberParseException:
        number = phonenumbers.PhoneNumber()
    if not _is_mobile(number) or number.extension:
        raise BadPhoneNumber(
            _(
                "This is not a mobile number. Indian numbers have ten digits and begin with 6, 7, "
                "8 or 9. For another country, start with its code, as in +91 98765 43210."
            )
        )
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def _is_mobile(number: phonenumbers.PhoneNumber) -> bool:
    if number.country_code == INDIA_CODE and not str(number.national_number).startswith(
        INDIAN_MOBILE
    ):
        return False
    return phonenumbers.number_type(number) in MOBILE and phonenumbers.is_valid_number(number)


@transaction.atomic(durable=True)
def give_number(*, player_id: int, number: str) -> PhoneNumber:
    """Store a player's number and replace the previous one; the same number changes nothing.

    Codes: `bad_phone_number`, `not_for_guests`, `too_many_numbers`.
    """
    player = User.objects.locked().get(pk=player_id)
    if player.is_guest:
        raise NotForGuests(_("Register first: a guest account works in one browser only."))
    return keep_number(player=player, number=normalised(number, country=player.country))


@transaction.atomic(durable=True)
def remove_number(*, player_id: int) -> None:
    """Remove a player's number; doing it again changes nothing."""
    release_numbers(User.objects.locked().get(pk=player_id))


def keep_number(*, player: User, number: str) -> PhoneNumber:
    """Store a normalised number of a player whose row is locked or new.

    If other rows have the number under the hash of an older key, this row gets the same hash, so
    that they are found together; `rotate_identity_keys` rehashes all. Codes: `too_many_numbers`.
    """
    assert transaction.get_connection().in_atomic_block, "the row and its hashes go together"
    hashes = [phone_number_hash(key, number) for key in settings.IDENTITY_KEYS]
    same = PhoneNumber.objects.filter(number_hash__in=hashes)
    known = {*same.values_list("number_hash", flat=True)}
    mine, now = PhoneNumber.objects.of_player(player), database_now()
    present = mine.present().first()
    if present is not None and present.number_hash in hashes:
        return present
    if mine.filter(given_at__gt=now - timedelta(days=1)).count() >= NUMBERS_PER_DAY:
        raise TooManyNumbers(_("You have changed your number too often today. Try again tomorrow."))
    mine.present().update(replaced_at=now)
    used = next((each for each in hashes if each in known), hashes[0])
    row = PhoneNumber(player=player, number_hash=used, given_at=now)
    seal(row, number.encode())
    row.save()
    return row


def release_numbers(player: User) -> None:
    """Mark a player's number as replaced; a sweep deletes it unless an exclusion needs it."""
    PhoneNumber.objects.of_player(player).present().update(replaced_at=DatabaseNow())


@transaction.atomic(durable=True)
def distinguish_player(*, number_id: int, by: User) -> PhoneNumber:
    """Record that this player is not the excluded one with the same number.

    Repeating it changes nothing. `by` must have no interest in any player with the number.
    Codes: `shared_interest`, `identity_unverified` if the player's identity is not verified.
    """
    given = PhoneNumber.objects.select_related("player").get(pk=number_id)
    player, same = given.player, given.number_hash
    refuse_own_interest(*User.objects.filter(phone_numbers__number_hash=same).distinct(), by=by)
    row = PhoneNumber.objects.locked().get(pk=number_id)
    if row.distinguished_at is not None:
        return row
    if current_verification(player) is None:
        raise IdentityUnverified("Verify this player's identity by a document first.")
    before = audit_log.facts(row)
    row.distinguished_at, row.distinguished_by = database_now(), by
    row.save(update_fields=["distinguished_at", "distinguished_by"])
    audit_log.record(by=by, act="distinguish_player", row=row, before=before, about=player)
    return row


def number_of(player: User) -> str:
    """Return a player's number in E.164, for their own pages; empty if there is none."""
    row = PhoneNumber.objects.of_player(player).present().first()
    return "" if row is None else readable_number(row)


def readable_number(row: PhoneNumber) -> str:
    """Return the number of a row in E.164; empty if no key of IDENTITY_KEYS decrypts it."""
    try:
        return unseal(row).decode()
    except DocumentGone:
        return ""


def masked(number: str) -> str:
    """Return a masked number for staff: its country code and last digits.

    >>> masked("+919876543210")
    '+91 XXXXXXX210'
    """
    if not number:
        return ""
    code = phonenumbers.parse(number).country_code
    rest = len(number) - len(f"+{code}") - SHOWN
    return f"+{code} {'X' * rest}{number[-SHOWN:]}"


def phone_number_hash(key: bytes | str, number: str) -> str:
    """Return the keyed hash by which a number is searched."""
    return keyed_hash(key, f"phone number:{number}")
