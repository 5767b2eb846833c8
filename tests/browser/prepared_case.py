"""Beside a running site: a member of support, and a player with a dispute about a deal.

Returns their addresses; both have the same password.
"""

from __future__ import annotations

import secrets


def main(password: str) -> str:
    from tests.builders.staff.people import hire
    from tests.builders.tables.disputes import complain, played_deal

    mark = secrets.token_hex(3)
    email = f"support_{mark}@example.com"
    support = hire("Support", handle=f"support_{mark}", email=email, password=password)
    player = complain(played_deal()).seat.player
    player.email = f"complainant_{mark}@example.com"
    player.set_password(password)
    player.save()
    return f"{support.email} {player.email}"
