"""The examples in the accountants' documentation match the reports."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from finance.closing.actions import close_days
from finance.reports.catalogue import REPORTS
from tests.builders.books.full_books import Desk, a_day_passes, keep_busy
from tests.builders.processes.product import CHECKOUT

PAGE = CHECKOUT / "docs" / "accountants" / "reports.md"
EXAMPLE = re.compile(r"^## `([\w-]+)`\n.*?^```json\n(.*?)^```", re.MULTILINE | re.DOTALL)


def examples() -> dict[str, dict[str, Any]]:
    found = EXAMPLE.findall(PAGE.read_text(encoding="utf-8"))
    return {name: json.loads(text) for name, text in found}


def test_documentation_has_an_example_of_every_report() -> None:
    shown = {name: list(row) for name, row in examples().items()}

    columns = {report.name: list(report.columns) for report in REPORTS}
    assert shown == columns, f"{PAGE.name} has no row, or another one, of a report"


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)
def test_report_example_has_the_types_of_the_response(client: Client) -> None:
    keep_busy()
    a_day_passes()
    close_days()
    desk = Desk(client)
    compared = 0

    for name, example in examples().items():
        for row in desk.page(name)["results"]:
            assert list(row) == list(example), name
            for column, value in row.items():
                if value is not None and example[column] is not None:
                    assert type(value) is type(example[column]), (name, column)
            compared += 1

    assert compared > 50
