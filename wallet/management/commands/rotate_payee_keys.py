"""Encrypt all registered bank accounts under the newest key of PAYEE_KEYS.

Runs as the owner of the schema, like `migrate`, after every process has been started with the new
key in front. It can be broken off and repeated; once it has ended with exit code 0, the older keys
are no longer needed.
"""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import ProgrammingError

from wallet.withdrawals.payees.sealing import rewrap_payees


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        seen, rewritten, unreadable = 0, 0, list[str]()
        try:
            for progress in rewrap_payees():
                seen, rewritten, unreadable = progress
                self.stdout.write(f"{seen} looked at, {rewritten} encrypted anew")
        except ProgrammingError as refusal:
            raise CommandError("Only the owner of the schema may do this.") from refusal
        self.stdout.write(f"Done: {rewritten} of {seen} encrypted anew.")
        if unreadable:
            self.stderr.write(f"No key opens these bank accounts: {', '.join(unreadable)}")
            sys.exit(1)
