"""Finance tokens, approved by a second person where required."""

from __future__ import annotations

from finance.tokens.actions import approve_token, create_token
from tests.builders.wallet.players import make_player


def valid_token(*scopes: str, name: str = "desk") -> str:
    """Return the text of a token in force, which one person has made and another approved."""
    maker, checker = (make_player(is_staff=True, is_superuser=True) for _ in range(2))
    token, text = create_token(name=name, scopes=scopes, created_by=maker)
    if token.needs_approval:
        approve_token(token_id=token.pk, by=checker)
    return text
