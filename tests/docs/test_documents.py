"""Documents name existing files and have no line above 120 characters."""

from __future__ import annotations

import re

from tests.builders.processes.product import CHECKOUT

# A path in code quotes: `tables/state/fold.py`.
NAMED = re.compile(r"`((?:[\w.-]+/)+[\w-]+\.(?:py|sql|md|sh|js|css|toml|yml|json|txt|conf))`")
# Files that the worked examples and the first release create.
CREATED = {
    "wallet/gateways/cashfree.py",
    "wallet/migrations/0002_database.sql",
    "tests/wallet/gateways/test_cashfree.py",
    "finance/reports/definitions/suspense.py",
    "tests/finance/reports/test_suspense.py",
    "config/formats/gu/formats.py",
}
# Folders that the text of a page leaves out.
BASES = ("", "docs", "tables", "static/js")


DOCUMENTS = {*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md"), *CHECKOUT.glob("*/*.md")}


def test_every_file_that_a_document_names_exists() -> None:
    named = {
        (path, str(document.relative_to(CHECKOUT)))
        for document in DOCUMENTS
        for path in NAMED.findall(document.read_text(encoding="utf-8"))
        if path not in CREATED
    }

    missing = sorted(
        (path, document)
        for path, document in named
        if not any((CHECKOUT / base / path).exists() for base in BASES)
    )

    assert len(named) > 150
    assert missing == []


def test_no_line_of_a_document_is_longer_than_120_characters() -> None:
    too_long = [
        f"{document.relative_to(CHECKOUT)}:{number}"
        for document in DOCUMENTS
        for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), start=1)
        if len(line) > 120
    ]

    assert len(DOCUMENTS) > 20
    assert too_long == []
