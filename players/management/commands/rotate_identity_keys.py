"""Encrypt players' documents, tax numbers and mobile numbers under the newest key of IDENTITY_KEYS.

Runs after every process has been started with the new key in front. It can be broken off and
repeated; once it has ended with exit code 0, the older keys are no longer needed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from players.identity.documents import rewrap, rotated, unseal
from players.identity.tax_number_models import TaxNumber
from players.identity.tax_numbers import tax_number_hash
from players.phones.models import PhoneNumber
from players.phones.numbers import phone_number_hash


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        rewritten, unreadable = 0, 0
        for progress in rewrap():
            rewritten, unreadable = progress
            self.stdout.write(f"{rewritten} encrypted anew")
        for numbers, closed in (
            rewrap_numbers(TaxNumber, tax_number_hash),
            rewrap_numbers(PhoneNumber, phone_number_hash),
        ):
            rewritten, unreadable = rewritten + numbers, unreadable + closed
        self.stdout.write(f"Done: {rewritten} encrypted anew.")
        if unreadable:
            self.stderr.write(f"No key opens {unreadable} documents and numbers.")
            sys.exit(1)


def rewrap_numbers(
    model: type[TaxNumber | PhoneNumber], hash_of: Callable[[str, str], str]
) -> tuple[int, int]:
    """Put all numbers and their hashes under the first key; return how many, and how many not."""
    rewritten, unreadable = 0, 0
    rows = model.objects.order_by("pk")
    for row in rows.iterator():
        content = rotated(row)
        if content is None:
            unreadable += 1
            continue
        fresh = hash_of(settings.IDENTITY_KEYS[0], unseal(row).decode())
        rewritten += rows.filter(pk=row.pk).update(encrypted_content=content, number_hash=fresh)
    return rewritten, unreadable
