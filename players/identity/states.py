"""A player's verified identity, and the closed accounts of the same person."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, Protocol, TypeVar

from django.db.models import Exists, Q, QuerySet

from core.clock import DatabaseNow
from core.db.statements import STAND_IN, CompiledQuery
from core.models import AuditEntry
from players.accounts.models import User
from players.accounts.verified_email import current_addresses, email_hashes
from players.identity.models import IdentityCheck, IdentityDocument, TaxNumber

# Audit log action for opening a document.
LOOK: Final = "look"


class OfPlayer(Protocol):
    """A row that belongs to a player."""

    player_id: Any


Row = TypeVar("Row", bound=OfPlayer)


def latest_check(player: User) -> IdentityCheck | None:
    return IdentityCheck.objects.of_player(player).order_by("-pk").first()


def current_verification(player: User) -> IdentityCheck | None:
    """Return the valid identity check of a player; None if they are not verified."""
    verified = IdentityCheck.objects.of_player(player).verified()
    return verified.filter(expires_at__gt=DatabaseNow()).first()


def was_ever_verified(player: User) -> bool:
    """Return whether a document has ever verified the player; the birth date is then fixed."""
    return IdentityCheck.objects.of_player(player).ever_verified().exists()


def state_of(player: User) -> IdentityCheck.State | None:
    """Return the state of a player's latest check; None if there is none."""
    found = latest_check(player)
    if found is None:
        return None
    if found.state == IdentityCheck.State.VERIFIED and current_verification(player) is None:
        return IdentityCheck.State.EXPIRED  # Until the nightly task updates the row.
    return IdentityCheck.State(found.state)


def looks_at(player: User) -> list[datetime]:
    """Return when staff viewed a player's documents, the latest first."""
    looks = AuditEntry.objects.about(player).filter(
        act=LOOK, kind=IdentityDocument._meta.label_lower
    )
    return list(looks.values_list("at", flat=True))


def may_be_of(player: User) -> Q:
    """Return the condition for rows of a player and of closed accounts that may be theirs.

    Closed accounts match by address or PAN. The address may be unverified: rows of other accounts
    count only if the account is in `former_accounts`.
    """
    own = User.objects.filter(pk=player.pk).values("pk")
    closed = User.objects.filter(closed_email_hash__in=email_hashes(player)).values("pk")
    # A union, which PostgreSQL reads by index; alternatives in a condition would read the table.
    return Q(player__in=own.union(closed, _former_numbers(player).values("player")))


def only_own(rows: list[Row], player: User) -> list[Row]:
    """Return the rows that belong to the player, of those matched by `may_be_of`."""
    if all(row.player_id == player.pk for row in rows):
        return rows
    mine = {player.pk, *former_accounts(player)}
    return [row for row in rows if row.player_id in mine]


def former_accounts(player: User) -> list[int]:
    """Return the keys of closed accounts that had the player's PAN or verified address.

    A PAN counts only if the player's identity is verified. Addresses are found while the secret
    key of the closing is in use or in `SECRET_KEY_FALLBACKS`.
    """
    return [key for (key,) in _former(player)]


def is_of_person(player: User) -> Q:
    """Return the condition for rows of a player and of the accounts in `former_accounts`."""
    own = User.objects.filter(pk=player.pk).values_list("pk")
    return Q(player__in=own.union(_former(player)))


def _former(player: User) -> Any:
    of_number = _former_numbers(player).values_list("player")
    return of_number.union(_closed_with_address(player).values_list("pk"))


def compiled_by_person(queryset_of: Callable[[User], QuerySet[Any, Any]]) -> CompiledQuery[User]:
    """Return the compiled query of a queryset about a player and their closed accounts."""
    return CompiledQuery(queryset_of, _named_by, _stand_in_for)


def _named_by(player: User) -> list[Any]:
    """Return the values of a player that the querysets of this module contain."""
    return [player.pk, *([player.email] if player.email is not None else ()), *email_hashes(player)]


def _stand_in_for(player: User) -> User:
    return User(pk=STAND_IN, email=player.email and "stand-in@invalid")


def former_tax_numbers(player: User) -> dict[int, datetime]:
    """Return the closed accounts that had the player's PAN, with the time it was added there."""
    return dict(_former_numbers(player).values_list("player", "given_at"))


def _former_numbers(player: User) -> QuerySet[TaxNumber]:
    verified = IdentityCheck.objects.of_player(player).verified()
    return TaxNumber.objects.former_of(player).filter(
        Exists(verified.filter(expires_at__gt=DatabaseNow()))
    )


def accounts_of_address(player: User) -> list[int]:
    """Return the keys of closed accounts that had the player's verified address."""
    return list(_closed_with_address(player).values_list("pk", flat=True))


def _closed_with_address(player: User) -> QuerySet[User]:
    closed = User.objects.filter(closed_email_hash__in=email_hashes(player)).exclude(pk=player.pk)
    return closed.filter(Exists(current_addresses(player)))


def is_same_name(one: str, other: str) -> bool:
    """Return whether two names have the same words, in any order, case and punctuation."""
    return bool(_words(one)) and _words(one) == _words(other)


def _words(name: str) -> list[str]:
    # Letters of Indian scripts are followed by marks that `\w` does not match.
    plain = unicodedata.normalize("NFKC", name).casefold()
    return sorted(re.sub(r"[.,'’\-]", " ", plain).split())
