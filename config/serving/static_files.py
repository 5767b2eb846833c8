"""Static files of a deployment: compressed, and named by their content."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Also follows the imports between ES modules, so that old and new ones never mix."""

    support_js_module_import_aggregation = True
