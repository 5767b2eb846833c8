"""Rows of a table contain its key and refer only to rows of the same table (ADR 9)."""

from __future__ import annotations

import ast
import re
from datetime import UTC
from pathlib import Path
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import IntegrityError, ProgrammingError, connection, models, transaction

from tables.models.addresses import Address, read_table
from tables.models.deals import DealSeat
from tables.models.tables import OfTable, Table
from tables.state.locks import lock_table
from tests.builders.tables.making import make_game, make_table
from tests.builders.tables.playing import deal_at, move
from tests.builders.wallet.tax_office import unguarded

pytestmark = pytest.mark.django_db

# What stays on the coordinator where tables are distributed.
LOCAL = {
    *("tables_ruling", "tables_dispute", "tables_reviewflag", "tables_voidedprize"),
    *("tables_playerreport", "tables_shareddeal"),
}


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


def test_a_table_is_read_by_its_address_as_it_is_now():
    table = make_table()
    read_table(table.public_id)
    Table.objects.filter(pk=table.pk).update(version=table.version + 1)

    assert read_table(table.public_id).version == table.version + 1


@pytest.mark.parametrize("has_an_address", [True, False])
def test_deleted_table_is_not_found(has_an_address):
    address = Address(public_id=uuid4(), table_id=2**40)
    if has_an_address:
        with unguarded():
            address.save(force_insert=True)

    with pytest.raises(Table.DoesNotExist):
        read_table(address.public_id)


APPS = ("wallet", "tables", "tournaments", "finance", "staff")
LOCKERS = {
    "Table": "tables/state/locks.py",
    "Tournament": "tournaments/planning/locks.py",
    "Stake": "wallet/stakes/locks.py",
}


@pytest.mark.parametrize("model", LOCKERS)
def test_only_the_lock_functions_lock(model):
    locks = re.compile(
        rf"\b{model}\.objects\b[^\n]*\.locked\(|\b{model.lower()}s\.locked\(|\bLocked{model}\("
    )
    root = Path(__file__).parents[3]
    sources = [path for app in APPS for path in (root / app).rglob("*.py")]

    found = {str(path.relative_to(root)) for path in sources if locks.search(path.read_text())}

    assert found == {LOCKERS[model]}


def changed_unlocked(source, model):
    """Return the functions that set a field of an argument declared as the model."""
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef):
            continue
        arguments = [*function.args.args, *function.args.kwonlyargs]
        rows = {
            argument.arg
            for argument in arguments
            if argument.annotation and ast.unparse(argument.annotation) == model
        }
        for node in ast.walk(function):
            is_set = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
            if is_set and isinstance(node.value, ast.Name) and node.value.id in rows:
                yield function.name


@pytest.mark.extended
@pytest.mark.parametrize("model", LOCKERS)
def test_a_function_that_changes_its_row_takes_a_locked_one(model):
    root = Path(__file__).parents[3]
    sources = {path: path.read_text() for app in APPS for path in (root / app).rglob("*.py")}
    assert len(sources) > 400
    example = f"def step(*, row: {model}):\n    row.status = 1\n"
    assert [*changed_unlocked(example, model)] == ["step"], "the search finds what it forbids"

    found = {
        str(path.relative_to(root)): set(changed_unlocked(sources[path], model)) for path in sources
    }

    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.django_db(transaction=True)
def test_a_lock_outside_of_a_transaction_is_a_mistake():
    with pytest.raises(AssertionError, match="locks need a transaction"):
        lock_table(0)
