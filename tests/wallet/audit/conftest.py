"""Books for the audit to look through."""

import pytest
from django.core.management import call_command

from tests.builders.books.lived_in_books import live_in_them


@pytest.fixture(scope="module")
def books(django_db_setup, django_db_blocker):
    """Live in the books once; what a test alters is rolled back."""
    with django_db_blocker.unblock():
        try:
            yield live_in_them()
        finally:
            call_command("flush", verbosity=0, interactive=False)
