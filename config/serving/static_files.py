"""Files that the site serves as they are: its own static ones, and the documentation."""

from __future__ import annotations

from collections.abc import MutableMapping

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Also follows the imports between ES modules, so that old and new ones never mix."""

    support_js_module_import_aggregation = True


# The pages are built from our own sources, and their theme has small scripts and styles in line.
DOCUMENTATION_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'none'; "
    "frame-ancestors 'none'"
)


def add_documentation_policy(headers: MutableMapping[str, str], path: str, url: str) -> None:
    """Give documentation its own policy; WhiteNoise answers before the site's is added."""
    if url.startswith("/docs/"):
        headers["Content-Security-Policy"] = DOCUMENTATION_POLICY
