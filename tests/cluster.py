"""A migrated PostgreSQL cluster, kept from one run to the next and copied by every test process."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from core.db.binaries import CHECKOUT
from core.db.schema import schema_hash
from devtools import launcher
from devtools.datadir import DataDir, standing_datadir, throwaway_datadir
from devtools.postgres import DATABASE

__all__ = ["DATABASE", "MIGRATED", "TRIAL_POLICIES", "lay_migrated", "make_migrated"]

# Tests post transfers without documents. `bench.ledger` does so too; no other
# database has these rows, and `tests/wallet/ledger/test_policies.py` takes them away.
TRIAL_POLICIES = """
    INSERT INTO wallet_policy (kind, document, of_one_player)
    SELECT kind, '', false FROM (SELECT DISTINCT kind FROM wallet_policy) AS known
    ON CONFLICT DO NOTHING
"""
# Names the data directory to copy from; unset where the tests use servers of yours.
MIGRATED = "RUMMY_TEST_CLUSTER"
PREFIX = "migrated-"
KEPT = 3


def lay_migrated(root: Path) -> None:
    """Copy the migrated cluster, and the keys without which no server starts on it, to `root`."""
    if MIGRATED in os.environ:
        made = Path(os.environ[MIGRATED])
        # With its owner, who is not root where the tests are.
        subprocess.run(["cp", "-a", made / "pg", *made.glob("*.secret"), root], check=True)


def make_migrated() -> Path:
    """Return the directory of a cluster migrated by the present migrations; make it if need be."""
    home = standing_datadir().root
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    cluster = home / f"{PREFIX}{_digest_of_migrations()}"
    with (home / "migrated.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not cluster.exists():
            _migrate(cluster)
        cluster.touch()
        known = sorted(home.glob(f"{PREFIX}*"), key=lambda path: path.stat().st_mtime)
        for outdated in known[:-KEPT]:
            shutil.rmtree(outdated, ignore_errors=True)
    return cluster


def _migrate(cluster: Path) -> None:
    """Migrate on throw-away servers and keep what they leave."""
    data = throwaway_datadir()
    before = dict(os.environ)
    try:
        servers = launcher.start(DataDir(data.root), durable=False)
        assert servers is not None, "nobody else knows this directory"
        try:
            # Not by the settings of the tests, which would ask for this very cluster.
            os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
            migrate = [sys.executable, "manage.py", "migrate", "-v0"]
            subprocess.run(migrate, cwd=CHECKOUT, check=True)
        finally:
            servers.stop()
        draft = cluster.with_name("migrating")
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o711)
        for part in (data.root / "pg", *data.root.glob("*.secret")):
            shutil.move(part, draft / part.name)
        draft.rename(cluster)
    finally:
        os.environ.clear()
        os.environ.update(before)
        data.remove()


def _digest_of_migrations() -> str:
    """Return a hash of everything that decides what a migrated cluster holds."""
    sources = [*CHECKOUT.glob("*/migrations/*.py"), *CHECKOUT.glob("*/migrations/*.sql")]
    sources += CHECKOUT.glob("*/**/sql/*.sql")  # Some are run after every migration.
    sources += [CHECKOUT / "uv.lock", CHECKOUT / "devtools" / "postgres.py"]
    digest = hashlib.sha256(schema_hash().encode())
    for source in sorted(sources):
        digest.update(f"{source.relative_to(CHECKOUT)}\0".encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]
