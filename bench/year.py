"""`close_year` over a year of many entries: its seconds, file by file, and the memory it took.

    python -m bench.year [--rows 1000000] [--profile]

The ledger is filled as `bench.exports` fills it, its transfers spread over the days of a financial
year that is over. The close of its last day is a row of this bench's: closing is not what is
measured. Memory is the most the process had while it wrote, less what it had before.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

from django.db import connection
from django.utils import timezone

from bench import exports
from finance.exports.year import write_year
from finance.reporting.models import DailyClose
from wallet.ledger.models import Entry, Transfer
from wallet.tax.arithmetic import financial_year, first_day, last_day

GROWTH_ALLOWED_MB = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--profile", action="store_true", help="print where the time went")
    options = parser.parse_args()
    year = financial_year(timezone.localdate()) - 1
    transfers = -(-options.rows * 3 // 11)
    exports.furnish(options.rows, day=f"date '{first_day(year)}' + (n * 364 / {transfers})::int")
    close_last_day(year)
    profile = cProfile.Profile() if options.profile else None
    before = exports.resident_mb()
    print(f"{before:.0f} MB of memory before the first file", flush=True)
    with tempfile.TemporaryDirectory() as folder, profile or nullcontext():
        seconds, size = write(year, Path(folder) / "year")
    growth = highest_mb() - before
    if profile is not None:
        pstats.Stats(profile).sort_stats("cumulative").print_stats(60)
    entries = Entry.objects.count()
    print(
        f"{entries} entries: {seconds:.0f} s ({entries / seconds:.0f} a second), "
        f"{size / 2**20:.0f} MB of files, memory grew by {growth:.0f} MB "
        f"(allowed: {GROWTH_ALLOWED_MB})"
    )


def close_last_day(year: int) -> None:
    """Let the last day be closed after everything that was filled in."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")
        [horizon] = cursor.fetchone()
        cursor.execute("SET session_replication_role = replica")
        DailyClose.objects.create(
            day=last_day(year),
            closed_at=timezone.now(),
            horizon=horizon,
            transfers=Transfer.objects.count(),
            entries=Entry.objects.count(),
            games=0,
            control_hash="0" * 64,
        )
        cursor.execute("SET session_replication_role = DEFAULT")


def write(year: int, folder: Path) -> tuple[float, int]:
    """Write the year, print each file's seconds, and return those of all and their bytes."""
    began = last = time.monotonic()
    size = 0
    for path in write_year(year=year, folder=folder):
        now = time.monotonic()
        if now - last > 1:
            print(
                f"{now - last:7.1f} s  {path.stat().st_size / 2**20:7.1f} MB  {path.name}, "
                f"at most {highest_mb():.0f} MB of memory until then",
                flush=True,
            )
        last, size = now, size + path.stat().st_size
    return time.monotonic() - began, size


def highest_mb() -> float:
    """Return the most memory this process has had at a time."""
    status = Path("/proc/self/status").read_text()
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 2**10


if __name__ == "__main__":
    main()
