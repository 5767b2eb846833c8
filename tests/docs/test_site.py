"""The documentation site builds without broken links, and the application serves it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib import admin
from django.test import Client
from django.urls import resolve
from django.utils import translation

from config.serving import content_policies
from core.templatetags.documents import document_url
from staff.templatetags.staff_help import OVERVIEW, PAGES, help_page
from staff.urls import urlpatterns as staff_urls

DOCS = settings.BASE_DIR / "docs"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of built pages; a broken link or an unlisted page fails the build."""
    root = tmp_path_factory.mktemp("pages")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", root / "docs"],
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return root


@pytest.fixture
def client_of_pages(pages: Path, settings: Any) -> Client:
    settings.WHITENOISE_ROOT = pages
    return Client()


@pytest.mark.parametrize("address", ["/docs/", "/docs/players/how-to-play/", "/docs/hi/money/"])
def test_a_built_page_is_served_with_a_policy_of_its_own(client_of_pages: Client, address: str):
    answer = client_of_pages.get(address)

    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/html")
    assert answer["Content-Security-Policy"] == content_policies.DOCUMENTATION


def test_the_sites_own_files_keep_theirs(client_of_pages: Client):
    assert "Content-Security-Policy" not in client_of_pages.get("/static/css/site.css").headers


def test_the_search_finds_words_of_both_languages(pages: Path):
    index = json.loads((pages / "docs/search/search_index.json").read_text(encoding="utf-8"))

    found = {page["location"].partition("#")[0] for page in index["docs"]}
    assert {"players/how-to-play/", "hi/how-to-play/"} <= found
    assert set(index["config"]["lang"]) == {"en", "hi"}


def test_nothing_is_fetched_from_elsewhere(pages: Path):
    for page in (pages / "docs").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert 'src="http' not in text, page
        assert '<link rel="stylesheet" href="http' not in text, page


def test_no_page_has_a_script_that_its_policy_forbids(pages: Path):
    scripts = [
        (attributes, content)
        for page in (pages / "docs").rglob("*.html")
        for attributes, content in re.findall(
            r"<script([^>]*)>(.*?)</script>", page.read_text(encoding="utf-8"), re.DOTALL
        )
    ]
    linked = [attributes for attributes, content in scripts if "src=" in attributes and not content]
    data = [attributes for attributes, _ in scripts if 'type="application/json"' in attributes]

    assert "'unsafe-inline'" not in content_policies.DOCUMENTATION.partition("style-src")[0]
    assert len(linked) > 100
    assert len(linked) + len(data) == len(scripts)


def test_architecture_page_draws_every_app_with_its_packages(pages: Path):
    text = (pages / "docs/developers/architecture/index.html").read_text(encoding="utf-8")

    for app in ("staff", "finance", "tournaments", "tables", "wallet", "rummy", "players", "core"):
        assert f"<strong>{app}</strong><small>" in text
    assert "<span>settlement</span>" in text
    assert "<small></small>" not in text


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("developers/contributing", ["A payment gateway", "A finance report", "A game"]),
        ("developers/words", ["Glossary"]),
        ("developers/changelog", ["Unreleased"]),
        ("integrators/library", ["The best discard", "p1 show 5H 6H 7H"]),
        ("operators/servers", ["sh deploy/postgres-roles.sh", "docker compose up --build"]),
        (
            "integrators/errors",
            ["(409): The table has changed since the version that the player saw."],
        ),
    ],
)
def test_pages_made_from_the_checkout_are_whole(pages: Path, page: str, words: list[str]):
    text = (pages / f"docs/{page}/index.html").read_text(encoding="utf-8")

    assert [word for word in words if word not in text] == []
    assert "&lt;!--" not in text


def test_players_pages_are_there_in_both_languages():
    english, hindi = (
        {path.name for path in (DOCS / folder).glob("*.md")} for folder in ("players", "hi")
    )

    assert english == hindi


def test_links_to_pages_of_the_running_site_resolve():
    found = {
        address
        for page in DOCS.rglob("*.md")
        for address in re.findall(r"\]\((/[^)#?]*)", page.read_text(encoding="utf-8"))
    }

    assert "/rules/split/" in found
    for address in found:
        resolve(address)


def test_pages_beside_the_code_name_files_that_are_there():
    pages = [*settings.BASE_DIR.glob("*.md"), settings.BASE_DIR / "rummy" / "README.md"]
    links = {
        page.parent / name
        for page in pages
        for name in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    }

    assert len(links) > 10
    assert [str(link) for link in links if not link.exists()] == []


def anchored(pages: Path, address: str) -> bool:
    """Return whether a page of the site exists, with the anchor that its address names."""
    name, _, anchor = address.partition("#")
    page = pages / "docs" / name / "index.html"
    return page.is_file() and (not anchor or f'id="{anchor}"' in page.read_text(encoding="utf-8"))


def test_every_link_of_the_built_pages_leads_somewhere(pages: Path):
    """Walks the links, pictures and scripts of all pages; those of other sites are left out."""
    root, looked_at, broken = pages / "docs", 0, []
    # 404.html is written by mkdocs, but the site answers with its own page.
    for page in set(root.rglob("*.html")) - {root / "404.html"}:
        text = page.read_text(encoding="utf-8")
        for address in set(re.findall(r"""(?:href|src)="([^"#?]+)[^"]*\"""", text)):
            if re.match(r"[a-z]+:", address):
                continue
            looked_at += 1
            if address.startswith("/docs/"):
                target = root / address.removeprefix("/docs/")
            elif address.startswith("/static/"):
                target = settings.BASE_DIR / address.removeprefix("/")
            elif address.startswith("/"):
                resolve(address)
                continue
            else:
                target = page.parent / address
            if not (target / "index.html" if target.is_dir() else target).is_file():
                broken.append((str(page.relative_to(root)), address))

    sys.stdout.write(f"{looked_at} links\n")
    assert broken == []
    assert looked_at > 5_000


def linked_from_the_site() -> set[str]:
    """Every page of the documentation that a template or the setup page names."""
    templates = (settings.BASE_DIR / "templates").rglob("*.html")
    named = {
        page
        for path in templates
        for page in re.findall(r"document_url ['\"]([^'\"]+)", path.read_text(encoding="utf-8"))
    }
    setup = (settings.BASE_DIR / "staff/dashboard/setup.py").read_text(encoding="utf-8")
    return named | set(re.findall(r'"([\w-]+/[\w/-]*#?[\w-]*)"', setup))


def test_pages_linked_from_the_site_and_the_admin_are_built(pages: Path):
    found = linked_from_the_site()

    assert {"players/money/#statement", "operators/regions/", "admin/#roles"} <= found
    translated = {page.replace("players/", "hi/") for page in found if page.startswith("players/")}
    for page in {*found, *translated, *PAGES.values(), OVERVIEW}:
        assert anchored(pages, page), page


def test_help_is_named_for_views_that_exist():
    models = {f"{model._meta.app_label}_{model._meta.model_name}" for model in admin.site._registry}
    views = {pattern.name for pattern in staff_urls}

    assert set(PAGES) <= models | views
    assert help_page("admin:wallet_withdrawal_change") == "operators/withdrawals/"
    assert help_page("admin:index") == OVERVIEW


def test_documents_are_linked_in_the_readers_language_where_they_are_built(settings: Any):
    settings.WHITENOISE_ROOT = Path("/pages")
    with translation.override("hi"):
        assert document_url("players/money/#statement") == "/docs/hi/money/#statement"
        assert document_url("operators/") == "/docs/operators/"
    with translation.override("en"):
        assert document_url("players/money/") == "/docs/players/money/"
    settings.WHITENOISE_ROOT = None
    assert document_url("players/money/") == ""


def test_hindi_pages_are_marked_as_hindi(pages: Path):
    for folder, language in (("hi", "hi"), ("players", "en")):
        text = (pages / f"docs/{folder}/money/index.html").read_text(encoding="utf-8")
        assert f'<html lang="{language}"' in text


@pytest.mark.django_db
@pytest.mark.parametrize("root", [Path("/pages"), None])
def test_api_page_has_a_language_a_title_and_links_to_the_documentation(
    client: Client, settings: Any, root: Path | None
):
    settings.WHITENOISE_ROOT = root

    text = client.get("/api/docs/").content.decode()

    assert '<html lang="en">' in text
    assert "<title>API · Pool Rummy</title>" in text
    assert ('href="/docs/integrators/first-bot/"' in text) == bool(root)
