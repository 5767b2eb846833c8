"""Acts of the admin that show what they would post before they do it."""

from __future__ import annotations

from typing import Any

from core.admin.previews import SHOWN


def previewed(client: Any, url: str, sent: dict[str, Any]) -> Any:
    """Send a form or an action, and return the answer, which shows what would be posted."""
    shown = client.post(url, sent, follow=True)
    assert "Nothing is posted yet" in shown.text
    return shown


def post_agreed(client: Any, url: str, sent: dict[str, Any]) -> Any:
    """Send a form or an action, look at what it would post, and agree."""
    again = dict(previewed(client, url, sent).context["again"])
    return client.post(url, sent | {SHOWN: again[SHOWN]}, follow=True)
