from __future__ import annotations

import os
from typing import TYPE_CHECKING
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
