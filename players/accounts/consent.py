"""What players agree to about the traces they leave: a text with a version, shown before they play.

The text is `templates/players/traces.html`; a change of its meaning needs a new version.
"""

from typing import Final

VERSION: Final = "2026-11-22"
