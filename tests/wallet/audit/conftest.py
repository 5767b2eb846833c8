"""Sample books for audit tests."""

import pytest
from django.core.management import call_command

from tests.builders.books.sample_books import make_sample_books


@pytest.fixture(scope="module")
def books(django_db_setup, django_db_blocker):
    """Create the sample books once; changes of a test are rolled back."""
    with django_db_blocker.unblock():
        try:
            yield make_sample_books()
        finally:
            call_command("flush", verbosity=0, interactive=False)
