"""Storage of static files with hashed names for deployments."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Also rewrites imports between ES modules, so that old and new files never mix."""

    support_js_module_import_aggregation = True
