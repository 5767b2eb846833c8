"""No index is covered by another, because every index slows down inserts."""

import pytest
from django.apps import apps
from django.db import connection

# Plain indexes whose columns, with their operator classes, begin another index of the table.
COVERED = """
    SELECT narrow.indexrelid::regclass::text, wide.indexrelid::regclass::text
    FROM pg_index narrow
    JOIN pg_index wide ON wide.indrelid = narrow.indrelid AND wide.indexrelid <> narrow.indexrelid
    WHERE narrow.indrelid::regclass::text = ANY (%s)
      AND NOT narrow.indisunique
      AND narrow.indpred IS NULL AND wide.indpred IS NULL
      AND narrow.indexprs IS NULL AND wide.indexprs IS NULL
      AND wide.indkey::text || ' ' LIKE narrow.indkey::text || ' %%'
      AND wide.indclass::text || ' ' LIKE narrow.indclass::text || ' %%'
    ORDER BY 1, 2
"""
# Django gives many-to-many tables both.
OF_DJANGO = {"players_user_groups", "players_user_user_permissions"}


@pytest.mark.django_db
def test_no_index_is_covered_by_another():
    own = {"core", "players", "wallet", "tables", "tournaments", "finance", "staff"}
    relations = {m._meta.db_table for m in apps.get_models() if m._meta.app_label in own}
    assert "tables_move" in relations

    with connection.cursor() as cursor:
        cursor.execute(COVERED, [sorted(relations - OF_DJANGO)])
        assert cursor.fetchall() == []


@pytest.mark.django_db
def test_moves_have_three_indexes():
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes WHERE tablename = 'tables_move'")
        names = {name for (name,) in cursor.fetchall()}

    assert names == {"tables_move_pkey", "tables_move_ply_once", "tables_move_id_once_per_seat"}
