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
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from core.db.binaries import CHECKOUT
from tests.rehearsal.site import SERVERS, Site

LEFT_OUT = shutil.ignore_patterns(
    ".*", "tests", "bench", "docs", "build", "dist", "site", "node_modules", "__pycache__"
)
MODEL, FIELD = "tables/table/models.py", "    felt = models.CharField(max_length=12, null=True)\n"
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


class Releases:
    """The events of three releases after the present one."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def events(self) -> Iterator[tuple[str, Callable[[], str | None]]]:
        home = self.site.root / "releases"
        yield "release 1.1: adds a column, backfills it", partial(self._adding, home)
        yield "release 1.2: its models do without", partial(self._doing_without, home)
        yield "release 1.3: drops it", partial(self._dropping, home)

    def _adding(self, home: Path) -> str:
        release = Release("1.1", CHECKOUT, home)
        release.rewrite(MODEL, re.escape(BEFORE_FIELD), f"{FIELD}{BEFORE_FIELD}")
        release.rewrite(USE, re.escape(USED), f'{USED}        felt="blue",\n')
        release.add_migration("0003_table_felt", ADD)
        release.add_migration("0004_fill_in_felt", BACKFILL, FILL_IN)
        return self._bring(release)

    def _doing_without(self, home: Path) -> str:
        release = Release("1.2", home / "1.1", home)
        release.rewrite(MODEL, re.escape(FIELD), "")
        release.rewrite(USE, ' +felt="blue",\n', "")
        release.add_migration("0005_forget_felt", FORGET)
        return self._bring(release)

    def _dropping(self, home: Path) -> str:
        release = Release("1.3", home / "1.2", home)
        release.add_migration("0006_drop_felt", DROP)
        return self._bring(release)

    def _bring(self, release: Release) -> str:
        """Check and apply its migrations as the owner, then roll over to it, one by one."""
        began = time.monotonic()
        release.manage("check_migrations")
        release.manage("migrate", "-v0")
        self.site.sources = release.sources
        for name in self.site.names(*SERVERS):
            self.site.roll([name])
        others = [kind for kind in self.site.fleet if kind not in SERVERS]
        # One of each kind at a time; the other one works meanwhile.
        for number in "12":
            self.site.roll([name for name in self.site.names(*others) if name.endswith(number)])
        return f"{time.monotonic() - began:.0f} s"
