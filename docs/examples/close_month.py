"""Close a month by the REST API: check, download, compare, and write a manifest.

    python close_month.py http://127.0.0.1:8000 TOKEN 2026-10 --out october

The finance token needs the scopes of all reports, and `close-days` for `--close`. The script needs
only Python's standard library. It exits with 0 if all checks pass, with 1 if one fails, and with 2
if the site refuses a request; `manifest.json` in the folder has the results.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from calendar import monthrange
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

REPORTS = (
    *("journal", "trial-balance", "player-liability", "rake", "games", "tournaments"),
    *("bonus-liability", "withdrawals", "adjustments", "receivables", "daily-close"),
    *("gst-invoices", "gst-outward-supplies", "gst-hsn-summary", "gst-documents"),
    *("tds-deductions", "tds-quarters", "tds-certificates"),
)
BOOKS = ("beancount", "ledger", "tally", "zoho")
# Outcomes that staff must examine before a month is closed, by kind of file.
DIFFERENCES = {
    "gateway": ("amount differs", "missing ours", "missing theirs"),
    "bank": ("amount differs", "missing theirs", "noted as refused", "came back", "paid twice"),
}
# Tax at the end of a financial year belongs to March and is posted in April.
YEAR_END = (3, 4)
Totals = dict[str, dict[str, int]]


class Refused(Exception):
    """The site refused a request; the text has its answer."""


class Site:
    """The finance API, used with one token."""

    def __init__(self, url: str, token: str) -> None:
        self.url = f"{url.rstrip('/')}/api/v1/finance/"
        self.bearer = {"Authorization": f"Bearer {token}"}

    def ask(self, path: str, **parameters: Any) -> Any:
        """Return the JSON of an answer."""
        return json.loads(self._send("GET", path, parameters).read())

    def post(self, path: str) -> Any:
        return json.loads(self._send("POST", path, {}).read())

    def rows(self, path: str, **parameters: Any) -> Iterator[dict[str, Any]]:
        """Yield the rows of all pages of a list."""
        page = self.ask(path, **parameters)
        yield from page["results"]
        while page["next"]:
            asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page["next"]).query))
            page = self.ask(path, **asked)
            yield from page["results"]

    def download(self, path: str, file: Path, **parameters: Any) -> str:
        """Write an answer to a file while it arrives; return its SHA-256."""
        digest = hashlib.sha256()
        with self._send("GET", path, parameters) as answer, file.open("wb") as written:
            while part := answer.read(65_536):
                digest.update(part)
                written.write(part)
        return digest.hexdigest()

    def _send(self, method: str, path: str, parameters: dict[str, Any]) -> Any:
        address = f"{self.url}{path}?{urllib.parse.urlencode(parameters)}"
        while True:
            request = urllib.request.Request(address, headers=self.bearer, method=method)
            try:
                return urllib.request.urlopen(request, timeout=300)
            except urllib.error.HTTPError as error:
                if error.code == 429:  # The token has reached its requests per minute.
                    time.sleep(float(error.headers.get("Retry-After", 1)))
                    continue
                raise Refused(f"{path}: {error.code} {error.read().decode()[:500]}") from error


class Month:
    """One month: its reports, checks and files."""

    def __init__(self, site: Site, first: date, folder: Path) -> None:
        self.site, self.first, self.folder = site, first, folder
        self.last = first.replace(day=monthrange(first.year, first.month)[1])
        self.days = {"from": first.isoformat(), "to": self.last.isoformat()}
        self.checks: list[dict[str, Any]] = []
        self.files: list[dict[str, Any]] = []
        self.totals: dict[str, Totals] = {}

    def check(self, name: str, is_right: bool, found: object = "") -> None:
        """Record and print the result of a check."""
        self.checks.append({"name": name, "ok": bool(is_right), "found": found})
        print(f"{'ok  ' if is_right else 'FAIL'}  {name}  {'' if is_right else found}")

    def same(self, name: str, *figures: Any) -> None:
        """Check that figures from different answers are equal."""
        self.check(name, all(figure == figures[0] for figure in figures), figures)

    def are_days_closed(self, *, close: bool) -> bool:
        """Check that each day is closed, and that each close contains the previous one's hash."""
        if close:
            closed = self.site.post("closes/")["results"]
            print(f"      {len(closed)} days were closed now")
        found = {row["day"]: row for row in self.site.rows("daily-close/", to=self.last)}
        chain = [found[day] for day in sorted(found)]
        begins = max(self.first.isoformat(), min(found, default=self.last.isoformat()))
        day, missing = date.fromisoformat(begins), []
        while day <= self.last:
            missing += [] if day.isoformat() in found else [day.isoformat()]
            day += timedelta(days=1)
        self.check("every day is closed", not missing, missing)
        broken = [
            now["day"]
            for before, now in pairwise(chain)
            if now["previous_hash"] != before["control_hash"]
        ]
        self.check("each close holds the hash of the one before", not broken, broken)
        return not missing

    def download(self) -> None:
        """Download every report as CSV and XLSX, and the journal in each book format."""
        for report in REPORTS:
            self.totals[report] = self.site.ask(f"{report}/", limit=1, **self.days)["totals"]
            for kind in ("csv", "xlsx", *(BOOKS if report == "journal" else ())):
                name = f"{report}.{kind}"
                sha256 = self.site.download(
                    f"{report}/", self.folder / name, format=kind, **self.days
                )
                size = (self.folder / name).stat().st_size
                self.files.append({"name": name, "bytes": size, "sha256": sha256})

    def compare_books(self) -> None:
        """Compare journal, trial balance, daily closes, liability and rake with each other."""
        entries = list(self._csv("journal"))
        lines = list(self._csv("trial-balance"))
        for currency, total in self.totals["trial-balance"].items():
            moved = [int(e["amount_minor"]) for e in entries if e["currency"] == currency]
            journal = self.totals["journal"].get(currency, {"in_minor": 0, "out_minor": 0})
            self.same(f"{currency}: the sum of the journal is zero", sum(moved), 0)
            self.same(
                f"{currency}: in equals out",
                *(total["in_minor"], total["out_minor"]),
                *(journal["in_minor"], journal["out_minor"], sum(m for m in moved if m > 0)),
            )
            self.same(
                f"{currency}: the sum of the trial balance is zero",
                *(total["opening_minor"], total["closing_minor"], 0),
            )
        summed = _added(entries, "account_kind", "amount_minor")
        moved_by = {key: minor for key, minor in summed.items() if minor}
        balance = {f"{row['currency']} {row['account_kind']}": row for row in lines}
        movement = {key: _net(row) for key, row in balance.items() if _net(row)}
        self.same("movements of journal and trial balance are equal", moved_by, movement)
        closes = list(self._csv("daily-close"))
        summed = _added(closes, "account_kind", "in_minor")
        summed.subtract(_added(closes, "account_kind", "out_minor"))
        daily = {key: minor for key, minor in summed.items() if minor}
        self.same("the daily closes sum to the month", daily, movement)
        owed = {
            key: minor
            for key, minor in _added(
                self._csv("player-liability"), "account_kind", "balance_minor"
            ).items()
            if minor
        }
        closing = {key: int(row["closing_minor"]) for key, row in balance.items()}
        same = {key: closing[key] for key in owed}
        self.same("player liability equals the trial balance", owed, same)
        rake = {code: of["rake_minor"] for code, of in self.totals["rake"].items()}
        for currency, minor in rake.items():
            booked = movement.get(f"{currency} rake", 0)
            self.same(f"{currency}: rake equals the movement of its accounts", minor, booked)

    def compare_taxes(self) -> None:
        """Compare the reports of GST and of tax withheld with each other and with the journal."""
        gst = {name: self.totals[name] for name in REPORTS if name.startswith("gst-")}
        self.same("the GST reports have the same totals", *gst.values())
        charged: Counter[str] = Counter()
        for entry in self._csv("journal"):
            if (entry["account_kind"], entry["kind"]) == ("gst_payable", "deposit"):
                charged[entry["currency"]] += int(entry["amount_minor"])
        invoiced = {code: of["tax_minor"] for code, of in self.totals["gst-invoices"].items()}
        self.same("invoiced GST equals the GST booked with deposits", invoiced, dict(charged))
        tds = [self.totals[name] for name in REPORTS if name.startswith("tds-")]
        self.same("the reports of tax withheld have the same totals", *tds)
        if self.first.month in YEAR_END:
            return
        lines = [row for row in self._csv("trial-balance") if row["account_kind"] == "tds_payable"]
        booked = {row["currency"]: _net(row) for row in lines if _net(row)}
        owed = {code: of["owed_minor"] for code, of in tds[0].items() if of["owed_minor"]}
        self.same("tax withheld equals the movement of its accounts", owed, booked)

    def reconcile(self) -> None:
        """Compare each uploaded gateway and bank file of the month with the ledger."""
        for kind, path in (("gateway", "gateway-files/"), ("bank", "bank-statements/")):
            files = [
                file
                for file in self.site.rows(path)
                if (file["first_day"] or "") <= self.days["to"]
                and (file["last_day"] or "") >= self.days["from"]
            ]
            self.check(f"{kind} files were uploaded", bool(files))
            for file in files:
                asked = {"file": file["sha256"], "to": max(file["last_day"], self.days["to"])}
                rows = list(self.site.rows(f"{kind}-reconciliation/", limit=1_000, **asked))
                wrong = [row for row in rows if row["outcome"] in DIFFERENCES[kind]]
                self.check(f"{file['name']} agrees with the ledger", not wrong, wrong)

    def write_manifest(self) -> bool:
        """Write the results of the checks; return whether all passed."""
        is_whole = all(check["ok"] for check in self.checks)
        manifest = {
            "month": f"{self.first:%Y-%m}",
            "ok": is_whole,
            "checks": self.checks,
            "control_totals": self.totals,
            "files": self.files,
        }
        text = json.dumps(manifest, indent=1, sort_keys=True) + "\n"
        (self.folder / "manifest.json").write_text(text)
        return is_whole

    def _csv(self, report: str) -> Iterator[dict[str, str]]:
        with (self.folder / f"{report}.csv").open(newline="", encoding="utf-8") as file:
            yield from csv.DictReader(line for line in file if not line.startswith("# "))


def _net(row: dict[str, str]) -> int:
    return int(row["in_minor"]) - int(row["out_minor"])


def _added(rows: Any, by: str, column: str) -> Counter[str]:
    """Sum a column by currency and another column."""
    sums: Counter[str] = Counter()
    for row in rows:
        sums[f"{row['currency']} {row[by]}"] += int(row[column])
    return sums


def main() -> int:
    parser = argparse.ArgumentParser(description="Close a month over the REST interface.")
    parser.add_argument("site", help="such as http://127.0.0.1:8000")
    parser.add_argument("token")
    parser.add_argument("month", type=lambda text: date.fromisoformat(f"{text}-01"))
    parser.add_argument("--out", type=Path, required=True, help="a folder, new or empty")
    parser.add_argument("--close", action="store_true", help="close days that are over first")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    month = Month(Site(options.site, options.token), options.month, options.out)
    try:
        if month.are_days_closed(close=options.close):
            month.download()
            month.compare_books()
            month.compare_taxes()
            month.reconcile()
    except (Refused, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0 if month.write_manifest() else 1


if __name__ == "__main__":
    sys.exit(main())
