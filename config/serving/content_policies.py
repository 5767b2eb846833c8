"""What browsers may load: on pages of the site, and on those of the documentation."""

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
# The theme sets styles inline; its inline scripts are moved into files (docs/scripts.py).
DOCUMENTATION: Final = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'none'; "
    "frame-ancestors 'none'"
)


def add_to_documentation(headers: MutableMapping[str, str], path: str, url: str) -> None:
    """Give documentation its own policy; WhiteNoise answers before the site's is added."""
    if url.startswith("/docs/"):
        headers["Content-Security-Policy"] = DOCUMENTATION
