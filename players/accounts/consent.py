"""The consent to keeping network and device data: a text with a version, shown before play.

The text is `templates/players/network_data.html`; a change of its meaning needs a new version.
"""

from typing import Final

VERSION: Final = "2026-11-22"
