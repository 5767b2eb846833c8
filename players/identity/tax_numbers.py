"""Tax numbers of players: set once, shown masked, removed by staff if mistyped."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from stdnum.in_ import pan

from core import audit_log
from core.clock import DatabaseNow, database_now
from core.keyed_hashes import keyed_hash
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from players.exceptions import BadTaxNumber, DocumentGone, TaxNumberGiven, TaxNumberTaken
from players.identity.documents import seal, unseal
from players.identity.models import TaxNumber

# The fourth letter is the type of holder.
PERSON: Final = "P"
SHOWN: Final = 4


@transaction.atomic(durable=True)
def give_tax_number(*, player_id: int, number: str) -> TaxNumber:
    """Store a player's PAN; setting the same number again changes nothing.

    Codes: `bad_tax_number`, `tax_number_given`, `tax_number_taken`.
    """
    number = _valid_pan(number)
    player = User.objects.locked().get(pk=player_id)
    mine = TaxNumber.objects.filter(player=player).first()
    if mine is not None:
        if unseal(mine) == number.encode():
            return mine
        raise TaxNumberGiven(_("Your account already has another PAN. To correct it, contact us."))
    hashes = [tax_number_hash(key, number) for key in settings.IDENTITY_KEYS]
    same = TaxNumber.objects.filter(number_hash__in=hashes)
    taken = TaxNumberTaken(_("Another account has this PAN. If it is yours, contact us."))
    if same.filter(released_at=None).exists():
        raise taken
    # Use the hash of existing rows, so that they are found together until the keys are rotated.
    known = {*same.values_list("number_hash", flat=True)}
    used = next((each for each in hashes if each in known), hashes[0])
    row = TaxNumber(player=player, number_hash=used, given_at=database_now())
    seal(row, number.encode())
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        raise taken from error
    return row


@transaction.atomic(durable=True)
def remove_tax_number(*, player_id: int, by: User) -> None:
    """Remove a mistyped number, so that the player can set it again. Codes: `shared_interest`."""
    player = User.objects.locked().get(pk=player_id)
    refuse_own_interest(player, by=by)
    row = TaxNumber.objects.filter(player=player).first()
    if row is not None:
        audit_log.record(by=by, act="remove_tax_number", row=row, about=player)
        row.delete()


def _valid_pan(typed: str) -> str:
    """Return a person's PAN, normalised; raise `BadTaxNumber` if it is invalid.

    The format and the serial number (0001 to 9999) are checked; the algorithm of the last letter is
    not public.
    """
    number = pan.compact("".join(typed.split()))
    if not pan.is_valid(number) or number[3] != PERSON:
        raise BadTaxNumber(
            _(
                "Enter a person's PAN such as ABCPD1234E: the fourth letter is P, and the four "
                "digits are not 0000."
            )
        )
    return number


def release_tax_number(player: User) -> None:
    """Release the number of an account being closed, so that a new account can use it."""
    TaxNumber.objects.filter(player=player).update(released_at=DatabaseNow())


def tax_numbers(player_ids: Collection[int]) -> dict[int, str]:
    """Return PANs by the players' primary keys, without those that no key decrypts."""
    found = {}
    for row in TaxNumber.objects.filter(player__in=player_ids):
        try:
            found[row.player_id] = unseal(row).decode()
        except DocumentGone:
            continue
    return found


def masked_tax_number(player: User) -> str:
    """Return the player's masked number; empty if there is none."""
    return masked(tax_numbers([player.pk]).get(player.pk, ""))


def masked(number: str) -> str:
    """Return a tax number with all but its last characters hidden.

    >>> masked("ABCPE1234F")
    'XXXXXX234F'
    """
    hidden = max(0, len(number) - SHOWN)
    return "X" * hidden + number[hidden:]


def tax_number_hash(key: bytes | str, number: str) -> str:
    """Return the keyed hash by which a number is searched."""
    return keyed_hash(key, f"tax number:{number}")
