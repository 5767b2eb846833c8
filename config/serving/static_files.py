"""How static files are named where the site is deployed."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Also follows the imports between ES modules, so that old and new ones never mix."""

    support_js_module_import_aggregation = True
