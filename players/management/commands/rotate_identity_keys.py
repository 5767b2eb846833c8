"""Encrypt players' documents, tax numbers and mobile numbers under the newest key of IDENTITY_KEYS.

Runs after every process has been started with the new key in front. It can be broken off and
repeated; once it has ended with exit code 0, the older keys are no longer needed.
"""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand

from players.identity.documents import rewrap
from players.identity.tax_numbers import rewrap_tax_numbers
from players.phones.numbers import rewrap_numbers


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        rewritten, unreadable = 0, 0
        for progress in rewrap():
            rewritten, unreadable = progress
            self.stdout.write(f"{rewritten} encrypted anew")
        for numbers, closed in (rewrap_tax_numbers(), rewrap_numbers()):
            rewritten, unreadable = rewritten + numbers, unreadable + closed
        self.stdout.write(f"Done: {rewritten} encrypted anew.")
        if unreadable:
            self.stderr.write(f"No key opens {unreadable} documents and numbers.")
            sys.exit(1)
