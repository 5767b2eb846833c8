"""A process imports at its start only what it needs."""

from __future__ import annotations

from pathlib import Path

from config import databases
from tests.builders.processes.product import run_program

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
BEAT = """
import sys
from config import celery
beat = celery.app.Beat(quiet=True)
beat.init_loader()
options = {"scheduler_cls": beat.scheduler_cls, "schedule_filename": sys.argv[1]}
service = beat.Service(app=beat.app, **options)
print(type(service.get_scheduler(lazy=True)).__name__)
from django.apps import apps
print(len(apps.app_configs), *sorted(set(sys.argv[2:]) & set(sys.modules)))
"""
PROGRAM = """
import sys
from config.serving import tasks
print(*sorted(tasks.main.commands))
print(*sorted(set(sys.argv[1:]) & set(sys.modules)))
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
    return run_program(program, *arguments).stdout.splitlines()


def test_a_worker_imports_its_tasks_and_no_pages() -> None:
    assert answers_of(WORKER, *OF_PAGES) == ["", "True"]


def test_beat_loads_no_application(tmp_path: Path) -> None:
    names = ("players.models", "tables.tasks", "wallet.models", "rest_framework", "rummy")

    assert answers_of(BEAT, str(tmp_path / "beat"), *names) == ["LeasedScheduler", "0"]


def test_worker_and_beat_start_without_an_interactive_shell() -> None:
    names = ("prompt_toolkit", "click_repl", "celery.bin.celery")

    assert answers_of(PROGRAM, *names) == ["beat worker", ""]


def test_unneeded_and_old_connections_are_closed() -> None:
    pool = databases.application()["OPTIONS"]["pool"]

    assert (pool["min_size"], pool["max_idle"], pool["max_lifetime"]) == (1, 60.0, 900.0)


def test_the_site_imports_no_library_that_writes_files() -> None:
    assert answers_of(WEB) == [""]


def test_checks_of_the_admin_see_its_pages() -> None:
    assert answers_of(CHECKS) == ["0", "True"]
