"""What the ledger's pages have in common: nothing can be added, changed or deleted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.db import transaction
from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from players.look_only import LookOnly
from wallet.exceptions import WalletError

__all__ = ["LookOnly", "link_to", "link_to_list", "refusals_told"]


def link_to(row: Model | None, words: object = None) -> str:
    """Return a link to a row's own page in the admin."""
    if row is None:
        return "-"
    url = reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])
    return format_html('<a class="underline" href="{}">{}</a>', url, words or row)


def link_to_list(model: type[Model], words: str, **filters: object) -> str:
    """Return a link to a filtered list in the admin."""
    url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    query = "&".join(f"{name}={value}" for name, value in filters.items())
    return format_html('<a class="underline" href="{}?{}">{}</a>', url, query, words)


@contextmanager
def refusals_told(request: HttpRequest) -> Iterator[None]:
    """Undo what was begun when the wallet refuses, and tell why on the next page."""
    try:
        with transaction.atomic():
            yield
    except WalletError as refusal:
        messages.error(request, f"{refusal} ({refusal.code})")
