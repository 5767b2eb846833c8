"""Rows of a table contain its key and refer only to rows of the same table (ADR 9)."""

from __future__ import annotations

from datetime import UTC

import pytest
from django.apps import apps
from django.db import IntegrityError, ProgrammingError, connection, models, transaction

from tables.models.deals import DealSeat
from tables.models.tables import OfTable
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import deal_at, move

pytestmark = pytest.mark.django_db

# What stays on the coordinator where tables are distributed.
LOCAL = {"tables_ruling", "tables_dispute", "tables_reviewflag", "tables_voidedprize"}


def of_a_table():
    """Yield each model of one table's rows, with its fields that name other such rows."""
    kinds = [model for model in apps.get_app_config("tables").get_models() if has_table(model)]
    for model in kinds:
        if model._meta.db_table not in LOCAL:
            fields = [each for each in model._meta.fields if each.related_model in kinds]
            yield from ((model, field) for field in fields)


def has_table(model):
    return any(field.name == "table" for field in model._meta.fields)


def test_every_row_that_names_a_deal_a_seat_or_a_window_has_its_table():
    named = {"tables_deal", "tables_seat", "tables_window"}
    naming = {
        model
        for model in apps.get_app_config("tables").get_models()
        for field in model._meta.fields
        if isinstance(field, models.ForeignKey)
        and field.related_model._meta.db_table in named
        and model._meta.db_table not in LOCAL
    }

    assert len(naming) == 12
    assert all(has_table(model) for model in naming)
    assert len([model for model in naming if issubclass(model, OfTable)]) == 10


def test_foreign_keys_between_rows_of_a_table_include_the_table():
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT c.conrelid::regclass::text, array_agg(a.attname::text ORDER BY k.place)
               FROM pg_constraint c CROSS JOIN unnest(c.conkey) WITH ORDINALITY AS k (no, place)
               JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.no
               WHERE c.contype = 'f' GROUP BY c.oid"""
        )
        found = {(table, *named) for table, named in cursor.fetchall()}

    wanted = {(kind._meta.db_table, "table_id", field.column) for kind, field in of_a_table()}
    assert len(wanted) == 19
    assert wanted <= found
    assert not {(table, column) for table, _, column in wanted} & found


def test_a_row_of_one_table_is_refused_at_another(owner):
    here, there = make_game(), make_game()
    places = DealSeat.objects.filter(pk=deal_at(here).deal_seats.first().pk)

    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        places.update(table=there)

    def save_as_owner():
        with owner(), transaction.atomic():
            places.update(table=there)
            connection.check_constraints()

    with pytest.raises(IntegrityError, match="of_its_table"):
        save_as_owner()

    assert deal_at(here).deal_seats.filter(table=here).count() == 2


def test_a_move_carries_its_table_and_the_day_its_deal_began():
    table = make_game()

    move(table, 1, "drop")

    deal = table.deals.get(no=1)
    [made] = deal.moves.all()
    assert made.table_id == table.pk
    assert made.dealt_on == deal.started_at.astimezone(UTC).date()
