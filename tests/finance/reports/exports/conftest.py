import pytest

from tests.builders.books.full_books import Desk


@pytest.fixture(autouse=True)
def _directory(settings, tmp_path):
    settings.EXPORTS_DIR = str(tmp_path / "exports")


@pytest.fixture
def desk(client):
    return Desk(client)
