"""Re-encrypt players' documents, tax numbers and mobile numbers with the first of IDENTITY_KEYS.

Run it as the owner of the schema, like `migrate`, after every process was restarted with the new
key first. It can be interrupted and repeated; after exit code 0 the older keys are no longer
needed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import ProgrammingError, transaction

from core import audit_log
from players.identity.documents import REWRAPPED_AT_ONCE, rewrap, rotated, unseal
from players.identity.models import TaxNumber
from players.identity.phones.models import PhoneNumber
from players.identity.phones.numbers import phone_number_hash
from players.identity.tax_numbers import tax_number_hash

# Service and action in the audit log, which the ledger audit checks.
COMMAND: Final = "rotate_identity_keys"
ROTATE: Final = "rotate_keys"


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        rewritten, unreadable = 0, 0
        for progress in rewrap():
            rewritten, unreadable = progress
            self.stdout.write(f"{rewritten} re-encrypted")
        try:
            for numbers, closed in (
                rewrap_numbers(TaxNumber, tax_number_hash),
                rewrap_numbers(PhoneNumber, phone_number_hash),
            ):
                rewritten, unreadable = rewritten + numbers, unreadable + closed
        except ProgrammingError as refusal:
            raise CommandError("Run this command as the owner of the schema.") from refusal
        self.stdout.write(f"Done: {rewritten} re-encrypted.")
        if unreadable:
            self.stderr.write(f"No key decrypts {unreadable} documents and numbers.")
            sys.exit(1)


def rewrap_numbers(
    model: type[TaxNumber | PhoneNumber], hash_of: Callable[[str, str], str]
) -> tuple[int, int]:
    """Re-encrypt and rehash all numbers; return the counts of rewritten and unreadable ones."""
    rewritten, unreadable, last = 0, 0, 0
    rows = model.objects.order_by("pk")
    batch: list[TaxNumber | PhoneNumber]
    while batch := cast(
        "list[TaxNumber | PhoneNumber]", list(rows.filter(pk__gt=last)[:REWRAPPED_AT_ONCE])
    ):
        fresh = {row: content for row in batch if (content := rotated(row)) is not None}
        if fresh:
            rewritten += _rewrite(fresh, hash_of)
        unreadable, last = unreadable + len(batch) - len(fresh), batch[-1].pk
    return rewritten, unreadable


@transaction.atomic
def _rewrite(
    fresh: Mapping[TaxNumber | PhoneNumber, bytes], hash_of: Callable[[str, str], str]
) -> int:
    """Write one batch, with the audit entry that the ledger audit requires."""
    rewritten = 0
    for row, content in fresh.items():
        number_hash = hash_of(settings.IDENTITY_KEYS[0], unseal(row).decode())
        mine = type(row).objects.filter(pk=row.pk)
        rewritten += mine.update(encrypted_content=content, number_hash=number_hash)
    first = next(iter(fresh))
    facts = audit_log.facts(first)
    audit_log.record_of_service(service=COMMAND, act=ROTATE, row=first, before=facts)
    return rewritten
