"""The next three releases, made from a copy of the checkout: one adds, one removes, one drops.

Each has real migrations, which `manage.py check_migrations` lets pass, which the schema's owner
applies while people play, and after which the processes are rolled over one by one. So the release
before works on each new schema beside the new one:

    1.1  adds a column to the tables, fills it in for those that are there, and reads it
    1.2  has it no more in its models; the column stays
    1.3  drops the column
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from core.db.binaries import CHECKOUT
from tests.trials.nodes.multinode import MultiNode

LEFT_OUT = shutil.ignore_patterns(".*", "tests", "bench", "docs", "build", "dist", "__pycache__")
MODEL, FIELD = "tables/models/tables.py", "    felt = models.CharField(max_length=12, null=True)\n"
BEFORE_FIELD = "    phase = models.CharField(max_length=10, choices=Phase"
USE, USED = "tables/games/opening.py", "        name=name,\n        currency=currency,\n"
ADD = """
    operations = [
        migrations.AddField("table", "felt", models.CharField(max_length=12, null=True)),
    ]
"""
BACKFILL = """
    atomic = False
    reviewed = {"runs-python": "A hundred rows at a time, each batch its own transaction."}
    operations = [migrations.RunPython(fill_in, migrations.RunPython.noop)]
"""
FILL_IN = '''

def fill_in(apps, schema_editor):
    """Give every table that is there a felt."""
    Table = apps.get_model("tables", "Table")
    last = 0
    while keys := list(Table.objects.filter(pk__gt=last).order_by("pk").values_list("pk")[:100]):
        [first], [last] = keys[0], keys[-1]
        batch = Table.objects.filter(pk__gte=first, pk__lte=last, felt=None)
        with transaction.atomic():
            list(batch.order_by("pk").select_for_update(no_key=True))
            batch.update(felt="green")
'''
FORGET = """
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveField("table", "felt")]
        ),
    ]
"""
DROP = """
    unused_since = "1.2.0"
    operations = [migrations.RunSQL("ALTER TABLE tables_table DROP COLUMN felt")]
"""


class Release:
    """The sources of a release, in a directory of their own."""

    def __init__(self, version: str, before: Path, home: Path) -> None:
        self.sources = home / version
        shutil.copytree(before, self.sources, ignore=LEFT_OUT)
        self.rewrite("pyproject.toml", r'(?m)^version = ".*"$', f'version = "{version}.0"')

    def rewrite(self, path: str, old: str, new: str) -> None:
        file = self.sources / path
        text, number = re.subn(old, lambda _: new, file.read_text())
        assert number == 1, f"{old} is {number} times in {path}"
        file.write_text(text)

    def add_migration(self, name: str, body: str, functions: str = "") -> None:
        folder = self.sources / "tables" / "migrations"
        before = max(file.stem for file in folder.glob("0*.py"))
        (folder / f"{name}.py").write_text(
            f"from django.db import migrations, models, transaction\n{functions}\n\n"
            f'class Migration(migrations.Migration):\n    dependencies = [("tables", "{before}")]\n'
            f"{body}"
        )

    def manage(self, *command: str) -> None:
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=self.sources,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr or done.stdout


def adding(home: Path) -> Release:
    release = Release("1.1", CHECKOUT, home)
    release.rewrite(MODEL, re.escape(BEFORE_FIELD), f"{FIELD}{BEFORE_FIELD}")
    release.rewrite(USE, re.escape(USED), f'{USED}        felt="blue",\n')
    release.add_migration("0003_table_felt", ADD)
    release.add_migration("0004_fill_in_felt", BACKFILL, FILL_IN)
    return release


def doing_without(home: Path) -> Release:
    release = Release("1.2", home / "1.1", home)
    release.rewrite(MODEL, re.escape(FIELD), "")
    release.rewrite(USE, ' +felt="blue",\n', "")
    release.add_migration("0005_forget_felt", FORGET)
    return release


def dropping(home: Path) -> Release:
    release = Release("1.3", home / "1.2", home)
    release.add_migration("0006_drop_felt", DROP)
    return release


# In this order: each is made from the one before.
RELEASES: dict[str, Callable[[Path], Release]] = {
    "release 1.1: adds a column, backfills it": adding,
    "release 1.2: its models do without": doing_without,
    "release 1.3: drops it": dropping,
}


def build(home: Path) -> dict[str, Release]:
    """Return all releases by name, checked and compiled."""
    built = {}
    for name, make in RELEASES.items():
        built[name] = make(home)
        built[name].manage("check_migrations")
    return built


def bring(site: MultiNode, built: Mapping[str, Release], name: str) -> str:
    """Apply the named release's migrations as the owner, and roll over to it."""
    release = built[name]
    began = time.monotonic()
    release.manage("migrate", "-v0")
    site.sources = release.sources
    site.roll_servers()
    site.roll_others()
    return f"{time.monotonic() - began:.0f} s"
