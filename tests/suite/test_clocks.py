"""What decides reads the database's clock, not the process's and not PostgreSQL's `now()`.

The allowed readings are listed with their reasons; each of them is still there.
"""

import ast
import re
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
PACKAGES = ("core", "players", "wallet", "tables", "tournaments", "finance", "staff", "config")
# How a module reads its process's clock: the object, and the attributes of it that do so.
PROCESS_CLOCK = {
    "timezone": {"now", "localdate", "localtime"},
    "datetime": {"now", "today", "utcnow"},
    "date": {"today"},
    "time": {"time", "time_ns"},
    "functions": {"Now"},
}
CONVERT = {"localtime", "localdate"}
# What each of these readings has in its text: other modules are not parsed.
CANDIDATE = re.compile(r"now|Now|today|localdate|localtime|\btime\.time")
PYTHON_ALLOWED = {
    "core/clock.py": "measures the skew of the process's clock",
    "core/management/commands/archive_months.py": "whole months of retention, run by hand",
    "core/partitions/archive.py": "when an archive was written; nothing compares with it",
    "core/pages/dates.py": "ages of rows, shown to staff, and the last day of a calendar",
    "finance/reports/exports/jobs.py": "ages of files on this machine's disk",
    "players/identity/providers/sandbox.py": "plays a foreign service, which has its own clock",
    "players/identity/providers/sumsub.py": "the time stamp that its protocol signs",
    "players/sign_in/security/proof.py": "allauth stores the times of proofs by this clock",
    "players/sign_in/lockout.py": "django-axes stores the attempts it counts by this clock",
}
SQL_CLOCK = re.compile(
    r"\b(?:now|clock_timestamp|transaction_timestamp|statement_timestamp)\s*\(\s*\)"
    r"|\bCURRENT_(?:TIMESTAMP|DATE|TIME)\b|\bLOCALTIMESTAMP\b",
    re.IGNORECASE,
)
SQL_ALLOWED = {
    "config/serving/beat.py": "a lease between processes, which a demo's shift must not move",
    "core/clock.py": "measures the skew of the process's clock",
    "core/partitions/sql/months.sql": "partitions are made months ahead, before there is a ledger",
    "players/eligibility/places/sql/law.sql": "when the release's rows were inserted",
    "wallet/audit/sql/schema_record.sql": "when the schema was recorded",
    "wallet/audit/sql/stuck_sessions.sql": "ages of sessions, which have the server's time",
    "wallet/tax/invoices/sql/forms.sql": "when the release's rows were inserted",
    "wallet/ledger/sql/booked_days.sql": "the day of a transfer is its transaction's (ADR 7)",
    "wallet/ledger/sql/installation.sql": "defines ledger_now()",
    "wallet/ledger/sql/posting.sql": "ledger_now() with the shift it has read along",
    "wallet/tax/sql/rates.sql": "when the release's rows were inserted",
}


def files(pattern):
    found = [path for package in PACKAGES for path in (CHECKOUT / package).rglob(pattern)]
    return {
        path.relative_to(CHECKOUT).as_posix(): path.read_text()
        for path in found
        if "migrations" not in path.parts
    }


def process_clocks(text):
    """Return the names by which a module reads its process's clock, called or passed on."""
    if not CANDIDATE.search(text):
        return []
    tree = ast.parse(text)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    # A moment that is given is converted, and no clock is read.
    converting = {id(call.func) for call in calls if call.args and name_of(call.func) in CONVERT}
    imported = {"now", "Now", "localdate"}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            reads = node.attr in PROCESS_CLOCK.get(name_of(node.value), ())
        elif isinstance(node, ast.ImportFrom):
            reads = imported & {name.name for name in node.names}
        elif isinstance(node, ast.Call):
            reads = name_of(node.func) in CONVERT and not node.args
        else:
            reads = isinstance(node, ast.keyword) and node.arg in ("auto_now", "auto_now_add")
        if reads and id(node) not in converting:
            found.append(ast.unparse(node))
    return found


def name_of(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def test_python_reads_the_process_clock_only_where_nothing_is_decided():
    modules = files("*.py")

    found = {name for name, text in modules.items() if process_clocks(text)}

    assert len(modules) > 600
    assert found == set(PYTHON_ALLOWED)


def test_sql_compares_with_ledger_now_alone():
    texts = files("*.sql")
    texts |= {
        name: code_of(text) if SQL_CLOCK.search(text) else ""
        for name, text in files("*.py").items()
    }

    found = {name for name, text in texts.items() if SQL_CLOCK.search(without_comments(text))}

    assert len(texts) > 650
    assert found == set(SQL_ALLOWED)


def code_of(text):
    """Return the strings of a module that are no docstrings, which may hold SQL."""
    tree = ast.parse(text)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = {
        ast.get_docstring(node, clean=False)
        for node in ast.walk(tree)
        if isinstance(node, documented)
    }
    strings = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return "\n".join(text for text in strings if isinstance(text, str) and text not in docs)


def without_comments(sql):
    return re.sub(r"--.*", "", sql)


def test_every_way_to_read_a_clock_is_noticed():
    read = [
        "from django.utils import timezone\nx = timezone.now()",
        "from django.utils import timezone\nx = timezone.localdate()",
        "f(default=timezone.now)",
        "from datetime import datetime\nx = datetime.now(UTC)",
        "import datetime\nx = datetime.datetime.now()",
        "import time\nx = time.time()",
        "from django.utils.timezone import localtime\nx = localtime()",
        "from django.db.models.functions import Now",
        "x = models.DateTimeField(auto_now_add=True)",
    ]
    converted = ["timezone.localtime(moment)", "time.monotonic()", "timezone.localdate(now, zone)"]
    converted.append("from django.utils.timezone import localtime\nlocaltime(moment)")

    assert [text for text in read if not process_clocks(text)] == []
    assert [text for text in converted if process_clocks(text)] == []
    assert SQL_CLOCK.search("WHERE due_at < now()")
    assert SQL_CLOCK.search("due_at < CURRENT_TIMESTAMP")
    assert not SQL_CLOCK.search("WHERE due_at < ledger_now()")
