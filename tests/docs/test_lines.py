"""Documents can be read where they are: in a terminal, beside a diff."""

from __future__ import annotations

from tests.builders.processes.product import CHECKOUT

LONGEST = 120


def test_no_line_of_a_document_is_too_long() -> None:
    documents = [*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md"), *CHECKOUT.glob("*/*.md")]

    too_long = [
        f"{document.relative_to(CHECKOUT)}:{number}"
        for document in documents
        for number, line in enumerate(document.read_text().splitlines(), start=1)
        if len(line) > LONGEST
    ]

    assert len(documents) > 20
    assert too_long == []
