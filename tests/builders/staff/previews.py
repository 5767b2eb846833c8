"""Admin actions with a preview of their postings."""

from __future__ import annotations

from typing import Any

from core.admin.previews import SHOWN


def previewed(client: Any, url: str, sent: dict[str, Any]) -> Any:
    """Send a form or an action, and return the response with the preview."""
    shown = client.post(url, sent, follow=True)
    assert "Nothing is posted yet" in shown.text
    return shown


def post_agreed(client: Any, url: str, sent: dict[str, Any]) -> Any:
    """Send a form or an action, and confirm the preview."""
    again = dict(previewed(client, url, sent).context["again"])
    return client.post(url, sent | {SHOWN: again[SHOWN]}, follow=True)
