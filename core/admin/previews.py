"""Previews of staff actions: the exact postings, shown before the action is confirmed.

Runs the action in a transaction that is rolled back. The function named by `settings.MOVED_NOW`
lists the postings, because `core` must not import `wallet`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, cast

from django.conf import settings
from django.contrib import admin
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.module_loading import import_string
from django.utils.translation import gettext

# The form field with the digest of the preview that was shown.
SHOWN: Final = "shown"
LINES_MAX: Final = 200


@dataclass(frozen=True)
class MovedLine:
    """The change of one account's balance by an action."""

    what: str
    account: str
    amount: str
    # The resulting balance; not part of the digest, because others post too.
    left: str


@dataclass(frozen=True)
class Preview:
    """The postings of an action on one row; `row` names it."""

    row: str
    lines: Sequence[MovedLine]

    @property
    def first_lines(self) -> Sequence[MovedLine]:
        return self.lines[:LINES_MAX]

    @property
    def more(self) -> int:
        """Return the number of lines that are not shown."""
        return max(0, len(self.lines) - LINES_MAX)


@contextmanager
def rolled_back() -> Iterator[None]:
    """Roll back all database changes of the block, also those that the block's actions commit.

    Without autocommit an outermost `atomic` is a savepoint, and functions scheduled for the commit
    never run. Deferred constraints and triggers are checked before the rollback.
    """
    transaction.set_autocommit(False)
    try:
        yield
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    finally:
        transaction.rollback()
        transaction.set_autocommit(True)


def preview(row: object, act: Callable[[], object]) -> Preview:
    """Return the postings that an action would make; raise its refusal, if any."""
    with rolled_back():
        act()
        return Preview(str(row), moved_now())


def moved_now() -> list[MovedLine]:
    """Return the postings of the open transaction so far."""
    moved = cast(Callable[[], list[MovedLine]], import_string(settings.MOVED_NOW))
    return moved()


def is_agreed(request: HttpRequest, previews: Sequence[Preview]) -> bool:
    """Return whether the request confirms a preview page that showed exactly these postings."""
    return is_agreed_to(request, _facts(previews))


def is_agreed_to(request: HttpRequest, facts: Sequence[Any]) -> bool:
    """Return whether the request confirms a page that showed exactly these facts."""
    return request.POST.get(SHOWN) == _digest(facts)


def preview_page(request: HttpRequest, previews: Sequence[Preview]) -> HttpResponse:
    """Return a page that shows the postings and sends the same request again on confirmation."""
    context = {
        **admin.site.each_context(request),
        "title": gettext("Nothing is posted yet"),
        "previews": previews,
        **agreed_form(request, _facts(previews)),
    }
    return TemplateResponse(request, "admin/preview.html", context)


def agreed_form(request: HttpRequest, facts: Sequence[Any]) -> dict[str, Any]:
    """Return the context of a page that sends the same request again to confirm these facts.

    `again` has the fields to send, `has_changed` is True if other facts were confirmed.
    """
    again = [
        (name, value)
        for name, values in request.POST.lists()
        if name not in (SHOWN, "csrfmiddlewaretoken")
        for value in values
    ]
    return {"again": [*again, (SHOWN, _digest(facts))], "has_changed": SHOWN in request.POST}


def _facts(previews: Sequence[Preview]) -> list[Any]:
    return [
        [each.row, [[line.what, line.account, line.amount] for line in each.lines]]
        for each in previews
    ]


def _digest(facts: Sequence[Any]) -> str:
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()
