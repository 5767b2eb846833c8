"""Players with a verified identity."""

from __future__ import annotations

from players.accounts.models import User
from players.identity import checks
from players.identity.models import IdentityCheck
from tests.builders.staff.people import clerk

PNG = b"\x89PNG\r\n\x1a\n" + b"pixels" + b"IEND\xaeB`\x82"


def submit_identity(
    player: User, name: str = "Asha Rao", *, provider: str = "", pages: int = 1
) -> IdentityCheck:
    kind = IdentityCheck.DocumentKind.PASSPORT
    return checks.submit(
        player_id=player.pk, name=name, kind=kind, files=[PNG] * pages, provider=provider
    )


def verify_identity(player: User, name: str = "Asha Rao") -> IdentityCheck:
    check = submit_identity(player, name)
    return checks.verify(check_id=check.pk, by=clerk())


def refuse_identity(player: User) -> IdentityCheck:
    check = submit_identity(player)
    ground = IdentityCheck.Ground.UNREADABLE
    return checks.refuse(check_id=check.pk, ground=ground, by=clerk())


def expire_identity(player: User) -> IdentityCheck:
    check = verify_identity(player)
    assert check.expires_at is not None
    checks.expire_due(now=check.expires_at)
    return check
