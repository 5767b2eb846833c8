"""Documents name existing files and have no line above 120 characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from tests.browser import pictures
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


# Pages for people who do not read the code, besides the reference pages.
TASKS = {
    path
    for folder in ("players", "hi", "operators", "accountants")
    for path in CHECKOUT.glob(f"docs/{folder}/*.md")
    if path.stem not in {"servers", "licences", "bank-files", "reports"}
}
PICTURE = re.compile(r"\((\.\./pictures/[\w-]+\.webp)\)")
# A file, folder or module of the source, or a test; `manage.py` and `deploy/` are the operator's.
SOURCE = re.compile(
    r"`(?!manage\.py)[\w./-]+\.(?:py|sql|js|html|css)`|`tests/\w+|`test_\w+"
    r"|`(?:bench|config|core|devtools|finance|players|staff|tables|tournaments|wallet)"
    r"(?:/|\.\w+\.)[\w./]+"
)
# Titles of the navigation whose readers do not read the code.
FOR_EVERYBODY = ("Home", "Players", "खेलें", "Operators", "Accountants")
# Pages of commands, of rules and of links have no screen to show.
WITHOUT_PICTURE = {"upgrades", "published-books", "fairness", "ratings", "responsible-play"}


def pages_of(entry: Any) -> Iterator[str]:
    """Return the files that a part of the navigation lists, at any depth."""
    if isinstance(entry, str):
        yield entry
    else:
        for part in entry.values() if isinstance(entry, dict) else entry:
            yield from pages_of(part)


def test_pages_for_players_operators_and_accountants_name_no_source() -> None:
    navigation = yaml.safe_load((CHECKOUT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    groups = {title: entry for group in navigation for title, entry in group.items()}
    pages = [page for title in FOR_EVERYBODY for page in pages_of(groups[title])]

    named = [
        (page, span)
        for page in pages
        if page.endswith(".md")  # Not a page of the running site.
        for span in SOURCE.findall((CHECKOUT / "docs" / page).read_text(encoding="utf-8"))
    ]

    assert {"operations.md", "cashier.md", "finance.md", "admin.md", "law.md"} <= set(pages)
    assert len(pages) > 35
    assert named == []


def test_each_task_page_is_short() -> None:
    texts = {path.relative_to(CHECKOUT): path.read_text(encoding="utf-8") for path in TASKS}

    assert len(texts) > 25
    # How to play is a lesson of its own.
    assert {
        str(path): len(text.splitlines())
        for path, text in texts.items()
        if len(text.splitlines()) > 70 and path.stem != "how-to-play"
    } == {}


def test_each_task_page_has_a_picture_that_exists() -> None:
    pictures = {path: PICTURE.findall(path.read_text(encoding="utf-8")) for path in TASKS}

    assert {path.stem for path, names in pictures.items() if not names} == WITHOUT_PICTURE
    assert [
        name
        for path, names in pictures.items()
        for name in names
        if not (path.parent / name).exists()
    ] == []


def test_every_picture_is_used_and_taken_by_the_command() -> None:
    files = {path.stem for path in CHECKOUT.glob("docs/pictures/*.webp")}
    used = {
        name
        for document in DOCUMENTS
        for name in re.findall(r"pictures/([\w-]+)\.webp", document.read_text(encoding="utf-8"))
    }

    assert files == used == {*pictures.CUTS, *pictures.OF_SAMPLE_DATA}
