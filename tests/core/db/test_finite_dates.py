"""No table holds a date that Python cannot read."""

import pytest
from django.db import IntegrityError, connection, transaction

from tests.builders.wallet.players import make_player

pytestmark = pytest.mark.django_db

UNCHECKED = """
SELECT c.relname || '.' || a.attname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0
    AND NOT a.attisdropped AND a.atttypid IN ('date'::regtype, 'timestamptz'::regtype)
    AND NOT EXISTS (
        SELECT FROM pg_constraint AS k
        WHERE k.conrelid = c.oid AND k.contype = 'c' AND k.conkey = ARRAY[a.attnum]
            AND pg_get_constraintdef(k.oid) LIKE '%9000-01-01%')
"""


def test_every_date_and_time_is_checked():
    with connection.cursor() as cursor:
        cursor.execute(UNCHECKED)
        assert cursor.fetchall() == []


@pytest.mark.parametrize("column", ["birth_date", "date_joined"])
@pytest.mark.parametrize("moment", ["infinity", "-infinity", "10000-01-01", "0044-03-15 BC"])
def test_the_application_writes_no_date_that_python_cannot_read(column, moment):
    player = make_player()

    with (
        pytest.raises(IntegrityError, match=f"{column}_is_finite"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(f"UPDATE players_user SET {column} = %s WHERE id = %s", [moment, player.pk])
