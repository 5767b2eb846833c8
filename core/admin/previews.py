"""What an act of staff would move, shown to the last unit before it is done.

The act is really done, in a database transaction that is taken back. What moved is told by the
function that `settings.MOVED_NOW` names, because money is none of this floor's business.
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

# The field of a form that is sent again: the digest of what was shown.
SHOWN: Final = "shown"
LINES_MAX: Final = 200


@dataclass(frozen=True)
class MovedLine:
    """One account's part in what an act would move."""

    what: str
    account: str
    amount: str
    # What would be on the account afterwards; not part of what is agreed to, as others post too.
    left: str


@dataclass(frozen=True)
class Preview:
    """What one row's act would move; `row` names it."""

    row: str
    lines: Sequence[MovedLine]

    @property
    def first_lines(self) -> Sequence[MovedLine]:
        return self.lines[:LINES_MAX]

    @property
    def more(self) -> int:
        """Return how many lines are not shown."""
        return max(0, len(self.lines) - LINES_MAX)


@contextmanager
def taken_back() -> Iterator[None]:
    """Take back whatever the block does in the database, what actions of their own commit too.

    Without autocommit an outermost `atomic` is a savepoint, and nothing scheduled for the commit
    happens. Constraints and triggers that wait for the commit have their say before the end.
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
    """Return what an act would move; raise its refusal, if there is one."""
    with taken_back():
        act()
        return Preview(str(row), moved_now())


def moved_now() -> list[MovedLine]:
    """Return what the open transaction has moved so far."""
    moved = cast(Callable[[], list[MovedLine]], import_string(settings.MOVED_NOW))
    return moved()


def is_agreed(request: HttpRequest, previews: Sequence[Preview]) -> bool:
    """Return whether the request was sent from a page that showed exactly this."""
    return request.POST.get(SHOWN) == _digest(previews)


def preview_page(request: HttpRequest, previews: Sequence[Preview]) -> HttpResponse:
    """Show what would be moved, and ask for the same request again."""
    again = [
        (name, value)
        for name, values in request.POST.lists()
        if name not in (SHOWN, "csrfmiddlewaretoken")
        for value in values
    ]
    context = {
        **admin.site.each_context(request),
        "title": gettext("Nothing is posted yet"),
        "previews": previews,
        "again": [*again, (SHOWN, _digest(previews))],
        "has_changed": SHOWN in request.POST,
    }
    return TemplateResponse(request, "admin/preview.html", context)


def _digest(previews: Sequence[Preview]) -> str:
    agreed: list[Any] = [
        [each.row, [[line.what, line.account, line.amount] for line in each.lines]]
        for each in previews
    ]
    return hashlib.sha256(json.dumps(agreed).encode()).hexdigest()
