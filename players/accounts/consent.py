"""The consent to keeping network and device data: a text with a version, shown before play.

The text is `templates/players/network_data.html`; a change of its meaning needs a new version.
"""

from typing import Final

VERSION: Final = "2026-11-25"
# Of the sentence beside the box on the page of documents, which says who else looks at them.
DOCUMENTS_VERSION: Final = "2026-11-25"
