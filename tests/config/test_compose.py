"""docker-compose.yml follows the Compose specification; no engine is needed to say so."""

import json
import re
from pathlib import Path

import pytest
import yaml
from compose_spec import PyCompose
from django.conf import settings

# What compose itself would do first: put in the variables, or their defaults.
TEXT = re.sub(
    r"\$\{\w+:(?:-(?P<default>[^}]*)|\?[^}]*)\}",
    lambda variable: variable["default"] or "given",
    (settings.BASE_DIR / "docker-compose.yml").read_text(),
)
COMPOSE = yaml.safe_load(TEXT)


def test_the_file_is_valid_by_the_specification():
    compose = PyCompose.from_json(json.dumps(COMPOSE))

    assert set(compose.service_names()) >= {"postgres", "redis", "web", "live", "beat", "proxy"}


def test_the_specification_refuses_what_it_does_not_know():
    broken = {**COMPOSE, "services": {"web": {"image": "x", "expozed": ["8000"]}}}

    with pytest.raises(ValueError, match="expozed"):
        PyCompose.from_json(json.dumps(broken))


def test_every_queue_has_a_worker_of_its_own():
    routed = {"settle", "bots", "clock", "exports"}
    worked = {
        command[command.index("-Q") + 1]
        for service in COMPOSE["services"].values()
        if "-Q" in (command := service.get("command", []))
    }

    assert worked == routed


def test_mounted_files_are_in_the_checkout():
    mounts = [
        Path(volume.split(":")[0])
        for service in COMPOSE["services"].values()
        for volume in service.get("volumes", [])
        if volume.startswith("./")
    ]

    assert mounts
    assert all((settings.BASE_DIR / mount).is_file() for mount in mounts)
