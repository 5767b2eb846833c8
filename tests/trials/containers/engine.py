"""Podman and podman-compose as the trial drives them, on a store of images of its own.

Where no systemd runs, Podman needs `runc`, cgroups as files and limits that this machine allows,
and nothing asks the containers' health checks: the trial asks them itself.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from tests.builders.processes.product import CHECKOUT

PROJECT: Final = "pool-rummy"
FILES_MAX: Final = 20_000
PROCESSES_MAX: Final = 4_000
NO_SYSTEMD: Final = """
[containers]
default_ulimits = ["nofile={files}:{files}", "nproc={processes}:{processes}"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
"""
STORE: Final = """
[storage]
driver = "vfs"
graphroot = "{root}/images"
runroot = "{root}/run"
"""


def missing_programs() -> list[str]:
    """Return the programs that are not installed, by the names of their Debian packages."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin"
    wanted = {"podman": "podman", "runc": "runc", "debootstrap": "debootstrap"}
    missing = [package for name, package in wanted.items() if shutil.which(name, path=path) is None]
    if shutil.which("aardvark-dns", path=f"{path}:/usr/lib/podman:/usr/libexec/podman") is None:
        missing.append("aardvark-dns")
    return missing


class Engine:
    """The containers of docker-compose.yml, with a store under `root`."""

    def __init__(self, root: Path, variables: Mapping[str, str]) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        (root / "storage.conf").write_text(STORE.format(root=root))
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.files = FILES_MAX if hard == resource.RLIM_INFINITY else min(hard, FILES_MAX)
        self.environment = os.environ | {"CONTAINERS_STORAGE_CONF": str(root / "storage.conf")}
        # Nobody else's network and cgroups: the limits of a machine in a sandbox.
        self.is_alone = not Path("/run/systemd/system").exists()
        if self.is_alone:
            limits = {"files": self.files, "processes": PROCESSES_MAX}
            (root / "containers.conf").write_text(NO_SYSTEMD.format(**limits))
            self.environment["CONTAINERS_CONF"] = str(root / "containers.conf")
        lines = [f"{name}={value}" for name, value in variables.items()]
        (root / "env").write_text("\n".join(lines) + "\n")
        self.services = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text())["services"]
        (root / "limits.yml").write_text(yaml.safe_dump({"services": self._lower_limits()}))

    def _lower_limits(self) -> dict[str, Any]:
        """Return the limits of the file, lowered to what this machine allows."""
        limit: dict[str, Any] = {"nofile": {"soft": self.files, "hard": self.files}}
        if self.is_alone:  # A container that names one limit gets none of the defaults above.
            limit["nproc"] = {"soft": PROCESSES_MAX, "hard": PROCESSES_MAX}
        asked = [name for name, each in self.services.items() if "ulimits" in each]
        return {name: {"ulimits": limit} for name in asked}

    def podman(self, *arguments: str, seconds: float = 1_800) -> str:
        """Return what the command prints; fail with all that it said."""
        return self._run(["podman", *arguments], seconds)

    def compose(self, *arguments: str, seconds: float = 1_800) -> str:
        """Return what podman-compose prints for this project's file."""
        files = ["-f", str(CHECKOUT / "docker-compose.yml"), "-f", str(self.root / "limits.yml")]
        program = [sys.executable, "-m", "podman_compose", "--in-pod", "false"]
        settings = ["--project-name", PROJECT, "--env-file", str(self.root / "env")]
        if self.is_alone:
            settings.append("--podman-build-args=--network=host")
        return self._run([*program, *settings, *files, *arguments], seconds)

    def _run(self, command: list[str], seconds: float) -> str:
        done = subprocess.run(
            command,
            cwd=CHECKOUT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}\n{done.stdout[-4_000:]}\n{done.stderr[-4_000:]}")
        return done.stdout

    def containers(self) -> dict[str, dict[str, Any]]:
        """Return the project's containers by the names of their services."""
        label = f"label=io.podman.compose.project={PROJECT}"
        found = json.loads(self.podman("ps", "--all", "--format", "json", "--filter", label))
        return {each["Labels"]["com.docker.compose.service"]: each for each in found}

    def wait_until_well(self, *services: str, seconds: float) -> dict[str, float]:
        """Ask each service's own health check until it passes; return after how many seconds."""
        began, well = time.monotonic(), dict[str, float]()
        while len(well) < len(services):
            for name in set(services) - well.keys():
                if self.is_well(name):
                    well[name] = round(time.monotonic() - began, 1)
            if time.monotonic() > began + seconds:
                late = ", ".join(sorted(set(services) - well.keys()))
                raise SystemExit(f"Not well after {seconds:.0f} s: {late}\n{self.logs(late)}")
            time.sleep(1.0)
        return well

    def is_well(self, service: str) -> bool:
        asked = ["podman", "healthcheck", "run", self.name(service)]
        found = subprocess.run(asked, env=self.environment, capture_output=True, check=False)
        return found.returncode == 0

    def name(self, service: str) -> str:
        return f"{PROJECT}_{service}_1"

    def inside(self, service: str, *command: str) -> str:
        """Return what a command prints in a service's container."""
        return self.podman("exec", self.name(service), *command, seconds=120)

    def logs(self, services: str) -> str:
        """Return the last lines of some services, named with commas."""
        command = ["podman", "logs", "--tail", "40"]
        parts = []
        for service in services.split(", "):
            done = subprocess.run(
                [*command, self.name(service)],
                env=self.environment,
                capture_output=True,
                text=True,
                check=False,
            )
            parts.append(f"== {service}\n{done.stdout}{done.stderr}")
        return "\n".join(parts)
