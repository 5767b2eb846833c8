from __future__ import annotations

import os
from urllib.parse import urlsplit

import pytest
from django.db import connection


@pytest.fixture
def test_database() -> dict[str, str]:
    """The environment of a process of the product's own that works on the test database."""
    url = urlsplit(os.environ["DATABASE_URL"])
    url = url._replace(path=f"/{connection.settings_dict['NAME']}")
    return os.environ | {
        "DATABASE_URL": url.geturl(),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
