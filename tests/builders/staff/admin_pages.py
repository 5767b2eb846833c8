"""The pages of the admin, for tests that open all of them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

from django.urls import reverse

ROWS_OPENED = 2
FILTER_LINK = re.compile(r'href="(\?[^"#]+)"')


def addresses(client: Any, model: Any) -> Iterator[str]:
    """Yield the pages of a model's admin: its list, also by each filter, rows, and a new one."""
    stem = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    changelist = reverse(f"{stem}_changelist")
    yield changelist
    page = client.get(changelist).content.decode()
    # One choice of each filter: the words of all of them stand on the list itself.
    links = {link.partition("=")[0]: html.unescape(link) for link in FILTER_LINK.findall(page)}
    yield from (changelist + link for link in links.values())
    keys = model._default_manager.order_by("-pk").values_list("pk", flat=True)[:ROWS_OPENED]
    for key in keys:
        yield reverse(f"{stem}_change", args=[key])
    yield reverse(f"{stem}_add")
