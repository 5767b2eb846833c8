"""Read every bank file in a folder, and print per folder what was read and what was refused.

Use it on a bank's sample files before the first upload. Nothing is stored. CSV is read with
the layouts of banks that come with the product, or with its own columns. Exits with 1 if a file is
refused and `--strict` is given.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from finance.exceptions import BadFile
from finance.matching.files import Contents
from finance.matching.formats.reading import READERS, read_bank_file
from finance.matching.layouts.reading import LayoutReader, bank_layouts

Outcome = Contents | BadFile


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument("--strict", action="store_true", help="exit with 1 after a refusal")

    def handle(self, *args: Any, **options: Any) -> None:
        folders: dict[Path, dict[str, Outcome]] = defaultdict(dict)
        for path in sorted(options["folder"].rglob("*")):
            if path.is_file() and _is_bank_file(path):
                folders[path.parent][path.name] = _outcome(path.read_bytes())
        for folder, files in folders.items():
            self._print(folder.relative_to(options["folder"]), files)
        every = {
            f"{folder}/{name}": one for folder in folders for name, one in folders[folder].items()
        }
        self._print(Path("total"), every, is_total=True)
        if options["strict"] and any(isinstance(one, BadFile) for one in every.values()):
            sys.exit(1)

    def _print(self, folder: Path, files: dict[str, Outcome], *, is_total: bool = False) -> None:
        read = [one for one in files.values() if isinstance(one, Contents)]
        lines = [line for one in read for statement in one.statements for line in statement.lines]
        self.stdout.write(
            f"{folder}: {len(files)} files, {len(read)} read, {len(files) - len(read)} refused, "
            f"{len(lines)} lines"
        )
        refused = [one for one in files.values() if isinstance(one, BadFile)]
        if is_total:
            for reason, number in Counter(map(str, refused)).most_common():
                self.stdout.write(f"  {number} refused: {reason}")
        for name, one in files.items():
            if isinstance(one, BadFile) and not is_total:
                faults = "; ".join(f"{line.position}: {line.message}" for line in one.lines[:3])
                self.stdout.write(f"  {name}: {one}{': ' if faults else ''}{faults}")


def _is_bank_file(path: Path) -> bool:
    """Return whether a file is in one of the formats, or is CSV."""
    body = path.read_bytes()
    is_camt = b"Document" in body[:500] and b"iso:20022:tech:xsd:camt.05" in body[:2_000]
    is_mt940 = path.suffix not in (".py", ".rb", ".yml", ".md") and READERS[1].recognizes(body)
    return path.suffix == ".csv" or (is_camt and path.suffix not in (".php", ".xsd")) or is_mt940


def _outcome(body: bytes) -> Outcome:
    try:
        layouts = [LayoutReader(layout) for layout in bank_layouts()]
        return read_bank_file(body, currency=settings.CASH_CURRENCIES[0], layouts=layouts)
    except BadFile as refusal:
        return refusal
