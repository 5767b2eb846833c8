"""Add players' tokens and their scopes to the OpenAPI description."""

from __future__ import annotations

from typing import Any, Final

from core.api.openapi import REFUSAL
from core.http import problems
from players.sign_in.tokens.access import scope_of

SCHEME: Final = "playerToken"
ABOUT: Final = (
    "A player's token, created at /account/tokens/. Each operation states the scope it needs."
)


def describe_tokens(result: Any, generator: Any, request: Any, public: bool) -> Any:
    """Add tokens to each operation that accepts them; a drf-spectacular postprocessing hook."""
    scheme = {"type": "http", "scheme": "bearer", "description": ABOUT}
    result["components"].setdefault("securitySchemes", {})[SCHEME] = scheme
    for path, methods in result["paths"].items():
        for method, operation in methods.items():
            scope = scope_of(method.upper(), path)
            if scope:
                _open(operation, scope)
    return result


def _open(operation: dict[str, Any], scope: str) -> None:
    # An operation without `security` is public.
    operation.setdefault("security", [{}]).insert(1, {SCHEME: []})
    operation["description"] = f"{operation['description']}\n\nTokens: scope `{scope}`."
    shape = {"schema": {"$ref": f"#/components/schemas/{REFUSAL}"}}
    operation["responses"]["401"] = {
        "description": "The token is unknown, revoked or expired.",
        "content": {problems.CONTENT_TYPE: shape},
    }
