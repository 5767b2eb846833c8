from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from django.db import connection

if TYPE_CHECKING:
    from tests.faults import Faults


@pytest.fixture
def test_database() -> dict[str, str]:
    """The environment of a process of the product's own that works on the test database."""
    url = urlsplit(os.environ["DATABASE_URL"])
    url = url._replace(path=f"/{connection.settings_dict['NAME']}")
    return os.environ | {
        "DATABASE_URL": url.geturl(),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }


@pytest.fixture
def faults() -> Faults:
    from tests.faults import Faults  # Models: only once Django is set up.

    return Faults()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let tests that start from the same rows run one after the other, in one transaction."""
    from tests.builders.shared import BUILDERS

    for name in metafunc.fixturenames:
        if (metafunc.module.__name__, name) in BUILDERS:
            hidden = pytest.param(name, id=pytest.HIDDEN_PARAM)
            metafunc.parametrize("_shared_rows", [hidden], indirect=True, scope="module")


@pytest.fixture(scope="module", autouse=True)
def _shared_rows(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Build what the next tests start from; roll it back before a test that starts elsewhere."""
    from tests.builders.shared import built

    if not hasattr(request, "param"):
        yield None
        return
    request.getfixturevalue("django_db_setup")
    with (
        request.getfixturevalue("django_db_blocker").unblock(),
        built(request.node.module.__name__, request.param) as rows,
    ):
        yield rows
