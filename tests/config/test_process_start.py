"""A process imports at its start only what it needs."""

from __future__ import annotations

import subprocess
import sys

from tests.builders.processes.product import CHECKOUT, environment

# Pages, the admin, the API's description, and libraries that write files.
OF_PAGES = (
    *("config.urls", "tables.lobby.pages", "wallet.deposits.admin", "finance.urls"),
    *("drf_spectacular.views", "allauth.account.views", "reportlab", "xlsxwriter", "segno"),
)
WORKER = """
import sys
from config import celery
celery.app.loader.import_default_modules()
print(*sorted(set(sys.argv[1:]) & set(sys.modules)))
print("tables.sweep_clock" in celery.app.tasks)
"""
WEB = """
import sys
import config.asgi, config.urls
print(*sorted({"reportlab.pdfgen", "xlsxwriter", "PIL"} & set(sys.modules)))
"""
CHECKS = """
import django
django.setup()
from django.contrib import admin
from django.core.checks import run_checks
print(len(admin.site._registry))
run_checks(tags=["admin"])
print(len(admin.site._registry) > 50)
"""


def answers_of(program: str, *arguments: str) -> list[str]:
    """Return the lines that a program prints in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=CHECKOUT,
        env=environment(RUMMY_EPHEMERAL="1", DJANGO_SETTINGS_MODULE="config.settings"),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()


def test_a_worker_imports_its_tasks_and_no_pages() -> None:
    assert answers_of(WORKER, *OF_PAGES) == ["", "True"]


def test_the_site_imports_no_library_that_writes_files() -> None:
    assert answers_of(WEB) == [""]


def test_checks_of_the_admin_see_its_pages() -> None:
    assert answers_of(CHECKS) == ["0", "True"]
