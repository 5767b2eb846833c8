"""The releases of a rehearsal can be rolled out during play."""

import subprocess
import sys

import pytest

from core.db.schema import schema_hash
from tests.trials.nodes.releases import build

pytestmark = [pytest.mark.extended, pytest.mark.process, pytest.mark.timeout(900)]


@pytest.mark.soak
def test_releases_have_the_migrations_of_their_models_and_none_is_refused(tmp_path, monkeypatch):
    for name in ("DATABASE_URL", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RUMMY_EPHEMERAL", "1")
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "config.settings")

    made = list(build(tmp_path).values())

    migrations = [len(list(each.sources.glob("tables/migrations/0*.py"))) for each in made]
    assert migrations == [migrations[0], migrations[0] + 1, migrations[0] + 2]
    made[0].manage("makemigrations", "--check", "--dry-run")
    # Otherwise `migrate` would refuse them, and the previous release would not be ready.
    asked = "from core.db.schema import schema_hash; print(schema_hash())"
    for release in made:
        printed = subprocess.check_output(
            [sys.executable, "-c", asked], cwd=release.sources, text=True
        )
        assert printed.strip() == schema_hash()
