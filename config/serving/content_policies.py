"""Content security policies of the site's pages and of the documentation."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, Final

from csp.constants import NONE, SELF

SITE: Final[dict[str, Any]] = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "object-src": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    },
}
# The theme has inline styles; docs/scripts.py moves its inline scripts into files.
DOCUMENTATION: Final = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'none'; "
    "frame-ancestors 'none'"
)


def add_to_documentation(headers: MutableMapping[str, str], path: str, url: str) -> None:
    """Set the documentation's policy; WhiteNoise answers before the site's middleware runs."""
    if url.startswith("/docs/"):
        headers["Content-Security-Policy"] = DOCUMENTATION
