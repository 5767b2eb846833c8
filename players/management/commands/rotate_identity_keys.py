"""Encrypt players' documents and tax numbers under the newest key of IDENTITY_KEYS.

Runs after every process has been started with the new key in front. It can be broken off and
repeated; once it has ended with exit code 0, the older keys are no longer needed.
"""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand

from players.identity.documents import rewrap
from players.identity.tax_numbers import rewrap_tax_numbers


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        rewritten, unreadable = 0, 0
        for progress in rewrap():
            rewritten, unreadable = progress
            self.stdout.write(f"{rewritten} encrypted anew")
        numbers, closed = rewrap_tax_numbers()
        self.stdout.write(f"Done: {rewritten + numbers} encrypted anew.")
        if unreadable or closed:
            self.stderr.write(f"No key opens {unreadable} documents and {closed} tax numbers.")
            sys.exit(1)
