"""Monthly partitions are created in advance; inserts work without one."""

from datetime import UTC, date, datetime

import pytest
from django.db import DatabaseError, transaction

from core.partitions import partitions
from core.partitions.partitions import MONTHS_AHEAD, make_months, months, past_retention
from tables.models.deals import Move
from tables.tasks import make_months as make_months_task
from tests.builders.sql import run
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import deal_at, move
from wallet.audit import audit

pytestmark = pytest.mark.django_db


def this_month():
    return datetime.now(UTC).date().replace(day=1)


def lies_in():
    return {name for (name,) in run("SELECT DISTINCT tableoid::regclass::text FROM tables_move")}


def name_of(month):
    return f"months.tables_move_{month:%Y_%m}"


def test_this_month_and_the_next_ones_are_there():
    make_months()

    there = [month.first_day for month in months() if month.first_day >= this_month()]

    assert len(there) == MONTHS_AHEAD + 1
    assert there[0] == this_month()
    assert make_months() == []


def test_move_is_stored_in_the_month_in_which_its_deal_began():
    make_months()
    table = make_game()

    move(table, 1, "ds")

    assert lies_in() == {name_of(this_month())}
    [made] = deal_at(table).moves.all()
    assert made.dealt_on == deal_at(table).dealt_on


def test_move_without_its_month_is_stored_and_moved_there_later(owner):
    with owner():
        run(f"DROP TABLE IF EXISTS {name_of(this_month())}")
    table = make_game()
    move(table, 1, "ds")
    assert lies_in() == {"months.tables_move_rest"}
    run("SET CONSTRAINTS ALL IMMEDIATE")
    before = list(Move.objects.values())

    make_months_task()

    assert lies_in() == {name_of(this_month())}
    assert list(Move.objects.values()) == before
    assert audit.schema_findings() == ()
    assert table.deals.get().moves.count() == 1


def test_moves_of_a_deal_are_read_from_one_month():
    make_months()
    table = make_game()

    plan = deal_at(table).moves.order_by("ply").explain()

    assert name_of(this_month()).removeprefix("months.") in plan
    assert plan.count("Scan") == 1


def test_months_past_their_retention_are_found(settings, owner):
    settings.MONTHS_KEPT = {"tables_move": 2}
    run("SELECT core_make_months(0)")
    with owner():
        run("SELECT core_make_month('tables_move', '2020-01-01')")
        run("SELECT core_make_month('tables_move', '2020-02-01')")

    found = past_retention(date(2020, 4, 30))

    assert [month.partition for month in found] == ["months.tables_move_2020_01"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT core_make_month('tables_move', '2020-01-01')",
        "SELECT core_draft_month('tables_move', 'dealt_on', '2020-01-01')",
        "SELECT * FROM months.tables_move_rest",
        "DELETE FROM core_archivedmonth",
        """INSERT INTO core_archivedmonth (relation, month, row_count, file, sha256, archived_at)
           VALUES ('tables_move', '2020-01-01', 0, '', '', now())""",
    ],
)
def test_application_cannot_create_or_archive_months(sql):
    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        run(sql)


@pytest.mark.parametrize("sql", ["UPDATE {0} SET text = ''", "DELETE FROM {0}", "TRUNCATE {0}"])
def test_owner_cannot_rewrite_a_month(owner, sql):
    make_months()
    move(make_game(), 1, "ds")
    run("SET CONSTRAINTS ALL IMMEDIATE")

    with owner(), pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        run(sql.format(name_of(this_month())))


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER TABLE {0} DISABLE TRIGGER append_only",
        "DROP TRIGGER not_emptied ON {0}",
        "GRANT SELECT ON {0} TO rummy_app",
        "ALTER TABLE {0} ADD CONSTRAINT none CHECK (false) NOT VALID",
    ],
)
def test_audit_reports_an_altered_month(owner, sql):
    make_months()
    with owner():
        run(sql.format(name_of(this_month())))

    [finding] = audit.schema_findings()

    assert (finding.check, finding.subject) == ("schema_altered", "months of tables_move")


def test_too_many_months_ahead_are_refused():
    with pytest.raises(DatabaseError, match="37 months ahead"), transaction.atomic():
        run("SELECT core_make_months(37)")
    assert partitions.MONTHS_AHEAD < 36
