"""Match a month's statement with as many payouts and settlements, compared with reading the file.

    python -m bench.matching [--lines 100000]

Nine of ten lines name a payout in a wrapped `:86:`, the others a settlement by its UTR. The file
is read alone, as MT940 and as CSV, then stored and matched in one run. The ratio of matching to
reading (wanted: 5) is what is promised, and that memory does not grow with the number of lines.
"""

# ruff: noqa: E402  The servers must run before Django reads its settings.

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from uuid import UUID

from devtools import launcher
from devtools.datadir import throwaway_datadir

os.environ.setdefault("RUMMY_EPHEMERAL", "1")
os.environ.setdefault("LOG_LEVEL", "WARNING")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
_servers = None if launcher.are_configured() else launcher.start(throwaway_datadir())

import django

django.setup()

from django.core.management import call_command
from django.db import connection

from finance.matching.actions import keep_statement
from finance.matching.formats.reading import read_bank_file
from finance.matching.report import rows_of
from players.accounts.models import User
from wallet.gateways.models import GatewaySettlement
from wallet.withdrawals.models import PayoutBatch, Withdrawal

RATIO_WANTED, GROWTH_ALLOWED_MB = 5, 50
FIRST, DAYS = date(2026, 5, 1), 28
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
HEAD = ":20:BENCH\n:25:50200000000001\n:28C:1/1\n:60F:C260430INR{opening}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=100_000)
    options = parser.parse_args()
    try:
        run(options.lines)
    finally:
        if _servers is not None:
            _servers.stop()


def run(lines: int) -> None:
    call_command("migrate", verbosity=0)
    clerk = User.objects.create_user(handle="clerk", email="clerk@example.com")
    written = list(furnish(clerk, lines))
    reading = {}
    files = {"MT940": as_mt940(written), "CSV": as_csv(written)}
    for name, body in files.items():
        began = time.monotonic()
        read_bank_file(body, currency="INR")
        reading[name] = time.monotonic() - began
    growths = []
    for number in (lines // 10, lines):
        began = time.monotonic()
        body = as_mt940(written[:number])
        statement = keep_statement(name="bench.sta", body=body, uploaded_by=clerk).row
        stored = time.monotonic() - began
        before, began = resident_mb(), time.monotonic()
        outcomes, highest = matched(rows_of(statement))
        seconds = time.monotonic() - began
        growths.append(highest - before)
        print(
            f"{number} lines: stored in {stored:.1f} s, matched in {seconds:.1f} s, memory grew "
            f"by {growths[-1]:.0f} MB: {dict(outcomes)}"
        )
    for name, alone in reading.items():
        print(
            f"{lines} lines of {name}: read alone in {alone:.1f} s, matching is "
            f"{seconds / alone:.1f} times that (wanted: {RATIO_WANTED})"
        )
    print(f"memory grew by {max(growths):.0f} MB (allowed: {GROWTH_ALLOWED_MB})")


def furnish(clerk: User, lines: int) -> Iterator[tuple[date, int, str]]:
    """Write payouts and settlements without their transfers; yield the bank's line of each."""
    checker = User.objects.create_user(handle="checker", email="checker@example.com")
    batch = PayoutBatch.objects.create(made_by=clerk)
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
    payouts, settlements = [], []
    for number in range(lines):
        day = FIRST + timedelta(days=number * DAYS // lines)
        moment = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
        if number % 10:
            payout = Withdrawal(
                public_id=UUID(int=number * 0x9E37_79B9_7F4A_7C15),
                player=clerk,
                currency="INR",
                deposit_minor=0,
                winnings_minor=100_00 + number % 900 * 100,
                hold_id=number + 1,
                payee_id=1,
                status=Withdrawal.Status.PAID,
                requested_by=clerk,
                decided_by=checker,
                decided_at=moment,
                closed_at=moment,
                batch=batch,
                bank_reference=f"UTR{number:012}",
            )
            payouts.append(payout)
            yield day, -payout.winnings_minor, payout.short_reference
        else:
            settlement = GatewaySettlement(
                provider="sandbox",
                reference=f"setl_{number:09}",
                bank_reference=f"HDFCN{number:017}",
                settled_on=day,
                currency="INR",
                paid_minor=1_000_00 + number,
                **dict.fromkeys(("returned_minor", "other_minor", "fee_minor", "tax_minor"), 0),
                made_by=clerk,
            )
            settlements.append(settlement)
            yield day, settlement.paid_minor, settlement.bank_reference
    Withdrawal.objects.bulk_create(payouts, batch_size=5_000)
    GatewaySettlement.objects.bulk_create(settlements, batch_size=5_000)
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = DEFAULT; ANALYZE")


def as_mt940(written: list[tuple[date, int, str]]) -> bytes:
    """Return a statement whose `:86:` are wrapped in the middle of the reference."""
    opening = 10**12
    closing = opening + sum(minor for _, minor, _ in written)
    parts = [HEAD.format(opening=figure(opening))]
    for day, minor, reference in written:
        sign = "D" if minor < 0 else "C"
        text = f"NEFT PAYMENT OF THE GAME ACCOUNT TO A PLAYER REF {reference} END".rjust(65 + 8)
        parts.append(f":61:{day:%y%m%d%m%d}{sign}R{figure(abs(minor))}NTRFNONREF\n")
        parts.append(f":86:{text[:65]}\n{text[65:]}\n")
    last = written[-1][0]
    parts.append(f":62F:C{last:%y%m%d}INR{figure(closing)}\n-\n")
    return "".join(parts).encode()


def as_csv(written: list[tuple[date, int, str]]) -> bytes:
    rows = (f"{day},NEFT {text} END,{minor / 100:.2f}" for day, minor, text in written)
    return "\n".join(["date,text,amount", *rows]).encode()


def figure(minor: int) -> str:
    return f"{minor // 100},{minor % 100:02}"


def matched(rows: Iterable[dict[str, object]]) -> tuple[Counter[str], float]:
    """Return the number of rows by outcome, and the highest memory while they were read."""
    outcomes: Counter[str] = Counter()
    highest = 0.0
    for number, row in enumerate(rows):
        outcomes[str(row["outcome"])] += 1
        if number % 5_000 == 0:
            highest = max(highest, resident_mb())
    return outcomes, max(highest, resident_mb())


def resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES / 2**20


if __name__ == "__main__":
    main()
