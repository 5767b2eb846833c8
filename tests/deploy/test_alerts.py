"""Prometheus' rules: each alert can fire, and the runbook has a line for it."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import Any

import pytest
import yaml

from tests.builders.processes.product import CHECKOUT

FOLDER = CHECKOUT / "deploy" / "prometheus"
PROMTOOL = shutil.which("promtool")
needs_promtool = pytest.mark.skipif(
    PROMTOOL is None, reason="no promtool on this machine (apt install prometheus)"
)


def alerts() -> dict[str, dict[str, Any]]:
    (group,) = yaml.safe_load((FOLDER / "rules.yml").read_text())["groups"]
    return {rule["alert"]: rule for rule in group["rules"]}


def test_runbook_has_a_line_for_each_alert_with_its_severity():
    runbook = (CHECKOUT / "docs" / "operations.md").read_text()
    section = runbook.split("\n## Alerts\n")[1].split("\n## ")[0]
    lines = re.findall(r"^- (\*{0,2})(\w+)\*{0,2}: ", section, re.MULTILINE)

    said = {name: stars for stars, name in lines}
    assert said == {
        name: "**" if rule["labels"]["severity"] == "page" else ""
        for name, rule in alerts().items()
    }


def test_each_alert_has_a_case_that_fires_it():
    cases = yaml.safe_load((FOLDER / "rules_test.yml").read_text())["tests"]

    fired = {
        asked["alertname"]
        for case in cases
        for asked in case["alert_rule_test"]
        if asked["exp_alerts"]
    }
    assert fired == set(alerts())


@pytest.mark.extended
@needs_promtool
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "config", "prometheus.yml"),
        ("check", "rules", "rules.yml"),
        ("test", "rules", "rules_test.yml"),
    ],
    ids=" ".join,
)
def test_prometheus_reads_them_and_each_fires(arguments: tuple[str, ...]):
    assert PROMTOOL is not None
    said = subprocess.run(
        [PROMTOOL, *arguments], cwd=FOLDER, capture_output=True, text=True, timeout=60, check=False
    )

    assert said.returncode == 0, said.stdout + said.stderr
