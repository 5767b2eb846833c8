"""Versions of the consent texts that players agree to.

The text about network and device data is `templates/players/network_data.html`. Increase the
version when the meaning of the text changes.
"""

from typing import Final

VERSION: Final = "2026-11-25"
# Version of the consent to sending identity documents to a provider.
DOCUMENTS_VERSION: Final = "2026-11-25"
