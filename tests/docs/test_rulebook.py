"""The rulebook's page names tests that exist, and every decision with a clause of its own."""

from __future__ import annotations

import re

from django.conf import settings

PAGE = settings.BASE_DIR / "docs" / "rulebook.md"
TESTS = settings.BASE_DIR / "tests"


def decisions() -> list[list[str]]:
    """Return the rows of the table of decisions, cell by cell."""
    section = PAGE.read_text().partition("### Decisions")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|")]
    return rows[2:]


def test_every_test_the_rulebook_names_exists() -> None:
    named = set(re.findall(r"`(?:tests/[\w/.]+::)?(test_\w+)`", PAGE.read_text()))
    sources = [path.read_text() for path in TESTS.rglob("test_*.py")]
    written = {name for text in sources for name in re.findall(r"def (test_\w+)", text)}

    assert len(named) > 70
    assert named - written == set()


def test_every_file_the_rulebook_names_exists() -> None:
    named = set(re.findall(r"tests/[\w/]+\.py", PAGE.read_text()))

    assert len(named) >= 5
    for path in named:
        assert (settings.BASE_DIR / path).is_file(), path


def test_every_decision_has_what_the_pages_say_what_is_decided_and_a_clause() -> None:
    page, rows = PAGE.read_text(), decisions()

    assert len(rows) >= 25
    for question, pages, decided, clauses in rows:
        assert question.endswith("?"), question
        assert pages, question
        assert decided, question
        for clause in clauses.split(", "):
            marks = (f"**{clause}**", f"## {clause}. ")
            assert any(mark in page for mark in marks), f"{question}: no clause {clause}"


def test_decisions_name_all_five_pages() -> None:
    said = " ".join(row[1] for row in decisions())

    for letter in "GTRVS":
        assert re.search(rf"\b{letter}\b", said), letter
