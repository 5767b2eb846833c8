"""For a running site: poll the identity provider every hour until it answers.

The player is named by their handle.
"""

from __future__ import annotations

import time
from datetime import timedelta

# The provider is given up after two days.
PATIENCE_HOURS = 47


def main(handle: str) -> None:
    from django.utils import timezone

    from players.identity import asking
    from players.identity.models import IdentityCheck

    waiting = IdentityCheck.objects.filter(player__handle=handle, state="submitted")
    for hours in range(1, PATIENCE_HOURS):
        if not waiting.exists():
            return
        # As if another hour had passed: each try puts the next one off.
        asking.ask_due(now=timezone.now() + timedelta(hours=hours))
        time.sleep(1)
    raise AssertionError("the sandbox does not answer")
