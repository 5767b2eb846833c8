"""All loggers write lines of text or JSON, by setting."""

import json

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.logs.lines import renderer
from tests.builders.processes.product import run_program

SAY = """
import logging, django; django.setup()
import structlog
structlog.contextvars.bind_contextvars(table="t-1")
structlog.get_logger("wallet").warning("transfer_posted", kind="prize", names=["आशा"])
logging.getLogger("django.request").error("Not %s", "found")
try:
    1 / 0
except ZeroDivisionError:
    structlog.get_logger("wallet").exception("sweep_failed")
"""


def test_json_log_has_one_object_a_line_with_its_context():
    ours, djangos, failed = map(json.loads, run_program(SAY, LOG_FORMAT="json").stderr.splitlines())

    assert ours.pop("timestamp").endswith("Z")
    assert ours == {
        "event": "transfer_posted",
        "kind": "prize",
        "names": ["आशा"],
        "table": "t-1",
        "logger": "wallet",
        "level": "warning",
    }
    assert (djangos["event"], djangos["level"], djangos["table"]) == ("Not found", "error", "t-1")
    assert "ZeroDivisionError" in failed["exception"]


def test_log_lines_have_names_and_values():
    ours = {"event": "transfer_posted", "table": "t-1"}

    assert renderer("lines")(None, "warning", ours) == "event=transfer_posted table=t-1"


def test_unknown_log_format_is_refused():
    with pytest.raises(ImproperlyConfigured, match="LOG_FORMAT is 'xml': lines or json"):
        renderer("xml")
