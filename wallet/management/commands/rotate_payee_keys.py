"""Encrypt all registered bank accounts again with the newest key of PAYEE_KEYS.

Run it as the schema's owner, like `migrate`, after every process was restarted with the new key in
front. It can be interrupted and repeated; after it ends with exit code 0, the older keys are no
longer needed.
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
                self.stdout.write(f"{seen} checked, {rewritten} encrypted again")
        except ProgrammingError as refusal:
            raise CommandError("Run this command as the owner of the schema.") from refusal
        self.stdout.write(f"Done: {rewritten} of {seen} encrypted again.")
        if unreadable:
            self.stderr.write(f"No key decrypts these bank accounts: {', '.join(unreadable)}")
            sys.exit(1)
