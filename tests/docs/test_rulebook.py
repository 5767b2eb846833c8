"""The rulebook names existing tests, and every decision has a clause."""

from __future__ import annotations

import re

from django.conf import settings

PAGE = settings.BASE_DIR / "docs" / "rulebook.md"
TESTS = settings.BASE_DIR / "tests"


DECISION = re.compile(
    r"- \*\*(?P<question>.+?\?)\*\* (?P<pages>.+?)\. \*Decided:\* (?P<decided>.+?) "
    r"\((?P<clauses>\d[\d., ]*)\): (?P<tests>`test_.+)"
)


def decisions() -> list[re.Match[str]]:
    """Return the items of the list of decisions, each read by its parts."""
    section = PAGE.read_text().partition("### Decisions")[2].partition("\n## ")[0]
    items = [
        " ".join(item.split()) for item in re.findall(r"^- .+(?:\n  .+)*", section, re.MULTILINE)
    ]
    read = [DECISION.fullmatch(item) for item in items]
    assert all(read), [item for item, parts in zip(items, read, strict=True) if not parts]
    return [parts for parts in read if parts]


def test_every_test_the_rulebook_names_exists() -> None:
    named = set(re.findall(r"`(?:tests/[\w/.]+::)?(test_\w+)`", PAGE.read_text()))
    sources = [path.read_text() for path in TESTS.rglob("test_*.py")]
    written = {name for text in sources for name in re.findall(r"def (test_\w+)", text)}

    assert len(named) > 60
    assert named - written == set()


def test_every_file_the_rulebook_names_exists() -> None:
    named = set(re.findall(r"tests/[\w/]+\.py", PAGE.read_text()))

    assert len(named) >= 5
    for path in named:
        assert (settings.BASE_DIR / path).is_file(), path


def test_every_decision_has_what_the_pages_say_what_is_decided_a_clause_and_a_test() -> None:
    page, found = PAGE.read_text(), decisions()

    assert len(found) >= 25
    for decision in found:
        for clause in decision["clauses"].split(", "):
            marks = (f"**{clause}**", f"## {clause}. ")
            assert any(mark in page for mark in marks), decision["question"]


def test_decisions_name_all_five_pages() -> None:
    said = " ".join(decision["pages"] for decision in decisions())

    for letter in "GTRVS":
        assert re.search(rf"\b{letter}\b", said), letter
