"""What players agree to about the traces they leave: a text with a version, shown before they play.

The text is `templates/players/traces.html`; whoever changes what it says gives it a new version.
"""

from typing import Final

VERSION: Final = "2026-11-22"
