"""Fixtures that let time pass for the wallet."""

import pytest
from django.db import connection

from tests.builders.processes.threads import kept_threads
from tests.cluster import TRIAL_POLICIES


@pytest.fixture(scope="package", autouse=True)
def _threads(django_db_setup):
    with kept_threads():
        yield


@pytest.fixture
def later(clocks):
    """Let time pass for the database's clock."""
    return clocks.let_pass


@pytest.fixture
def strict(owner):
    """As in production: nothing is posted without a document."""

    def change(sql):
        with owner(), connection.cursor() as cursor:
            cursor.execute(sql)

    yield lambda: change("DELETE FROM wallet_policy WHERE document = ''")
    change(TRIAL_POLICIES)
