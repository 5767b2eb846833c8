import pytest


@pytest.fixture(autouse=True)
def _directory(settings, tmp_path):
    settings.EXPORTS_DIR = str(tmp_path / "exports")
