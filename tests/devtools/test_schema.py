"""Migrating a demo's database to the present schema."""

import pytest
from django.core.management import CommandError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from devtools.schema import refuse_unknown_migrations

pytestmark = pytest.mark.django_db


def test_data_of_another_version_is_refused_in_one_sentence(owner):
    refuse_unknown_migrations()
    with owner():
        MigrationRecorder(connection).record_applied("wallet", "0009_of_another_version")

        with pytest.raises(CommandError, match="another version"):
            refuse_unknown_migrations()
