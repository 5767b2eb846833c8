"""A month is archived to a file and restored; the audit checks the ledger at each step."""

import gzip
import json
from datetime import timedelta
from io import StringIO
from threading import Event, Thread

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.urls import reverse
from django.utils import timezone

from core.partitions import archive
from core.partitions.archive import MonthNotArchived, MonthNotRestored, archive_month, restore_month
from core.partitions.models import ArchivedMonth
from core.partitions.partitions import make_months, months
from tables.integrity.moderation import disputes
from tables.integrity.moderation.dispute_models import Dispute
from tables.models.deals import Move
from tests.builders.sql import run
from tests.builders.tables.deals import SUDDEN, drop_out, take_turn
from tests.builders.tables.making import make_game, make_rules
from tests.builders.tables.playing import move, reread, seat_at
from wallet.audit.audit import audit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def played():
    """The first deal of a game that is over, whose moves lie in this month."""
    make_months()
    table = make_game(rules=make_rules(**SUDDEN))
    take_turn(table)
    take_turn(table)
    while not reread(table).is_over:
        drop_out(table)
    return table.deals.get(no=1)


@pytest.fixture
def month(played):
    [found] = [each for each in months() if each.first_day == played.dealt_on.replace(day=1)]
    yield found
    make_months()


def findings():
    return {finding.check for finding in audit().findings}


def test_month_is_archived_and_restored_unchanged(owner, month, tmp_path):
    before = list(Move.objects.order_by("pk").values())

    with owner():
        made = archive_month(month, tmp_path)

    assert (made.row_count, Move.objects.count()) == (len(before), 0)
    assert audit().is_clean
    assert (tmp_path / made.file).stat().st_mode & 0o777 == 0o600

    with owner():
        restore_month(tmp_path / made.file)

    assert list(Move.objects.order_by("pk").values()) == before
    assert audit().is_clean
    assert ArchivedMonth.objects.get().restored_at is not None
    with pytest.raises(DatabaseError, match="append-only"), owner(), transaction.atomic():
        run(f"DELETE FROM {month.partition}")


@pytest.mark.extended
def test_archived_deal_answers_410(owner, client, played, month, tmp_path):
    client.force_login(seat_at(played.table, 1).player)
    paths = [reverse("replay", args=[played.table.public_id, 1, 0])]
    paths += [f"/api/v1/tables/{played.table.public_id}/deals/1/replay/"]
    assert [client.get(path).status_code for path in paths] == [200, 200]

    with owner():
        archive_month(month, tmp_path)
    page, answer = (client.get(path) for path in paths)

    assert (page.status_code, answer.status_code) == (410, 410)
    assert "are archived" in page.text
    assert answer.json()["code"] == "moves_archived"
    kept = client.get(reverse("game", args=[played.table.public_id]))
    assert kept.status_code == 200


def test_month_with_an_unfinished_deal_is_not_archived(owner, month, tmp_path):
    move(make_game(), 1, "ds")
    there = Move.objects.count()

    with owner(), pytest.raises(MonthNotArchived, match=r"deal \d+ is not over"):
        archive_month(month, tmp_path)

    assert (Move.objects.count(), list(tmp_path.iterdir())) == (there, [])


@pytest.mark.extended
def test_month_with_an_open_dispute_is_not_archived(owner, played, month, tmp_path):
    disputes.open_dispute(
        player=seat_at(played.table, 1).player,
        table_id=played.table_id,
        deal_no=1,
        ply=0,
        category=Dispute.Category.values[0],
        text="That was no fair deal.",
    )

    with owner(), pytest.raises(MonthNotArchived, match=r"dispute \d+ is open"):
        archive_month(month, tmp_path)


def test_audit_finds_rows_deleted_before_their_month_was_archived(owner, month, tmp_path):
    """Rows that were deleted before their month went are missed by what was sealed of them."""
    with owner():
        run("SET session_replication_role = replica")
        run(f"DELETE FROM {month.partition} WHERE ply = 1")
        run("SET session_replication_role = DEFAULT")
        archive_month(month, tmp_path)

    assert findings() == {"moves_archived"}


@pytest.mark.extended
def test_audit_finds_rows_deleted_after_their_month_was_restored(owner, month, tmp_path):
    with owner():
        made = archive_month(month, tmp_path)
        restore_month(tmp_path / made.file)
        run("SET session_replication_role = replica")
        run(f"DELETE FROM {month.partition}")
        run("SET session_replication_role = DEFAULT")

    assert findings() == {"moves_rewritten", "deal_not_over", "head_differs"}


@pytest.mark.extended
def test_audit_finds_a_rewritten_record_of_an_archive(owner, month, tmp_path):
    with owner():
        archive_month(month, tmp_path)
        run("SET session_replication_role = replica")
        run("UPDATE core_archivedmonth SET sha256 = repeat('0', 64)")
        run("SET session_replication_role = DEFAULT")

    assert findings() == {"row_rewritten"}


@pytest.mark.extended
def test_altered_file_is_not_restored(owner, month, tmp_path):
    with owner():
        made = archive_month(month, tmp_path)
    file = tmp_path / made.file
    with gzip.open(file) as packed:
        head, *rows = packed.read().splitlines(keepends=True)
    other = tmp_path / "other.gz"
    other.write_bytes(gzip.compress(head + b"".join(rows[:-1])))
    foreign = tmp_path / "foreign.gz"
    foreign.write_bytes(gzip.compress(json.dumps({"format": "another"}).encode()))

    with owner():
        with pytest.raises(MonthNotRestored, match="its hash differs"):
            restore_month(other)
        with pytest.raises(MonthNotRestored, match="is not an archived month"):
            restore_month(foreign)
        restore_month(file)
        with pytest.raises(MonthNotRestored, match="is not archived"):
            restore_month(file)

    assert Move.objects.count() == made.row_count


@pytest.mark.extended
def test_interrupted_restoration_can_be_repeated(owner, month, tmp_path, monkeypatch):
    with owner():
        made = archive_month(month, tmp_path)
        monkeypatch.setattr(archive, "_attach", broken_off)
        with pytest.raises(KeyboardInterrupt):
            restore_month(tmp_path / made.file)
        monkeypatch.undo()
        assert Move.objects.count() == 0

        restore_month(tmp_path / made.file)

    assert Move.objects.count() == made.row_count
    assert audit().is_clean


def broken_off(*_):
    raise KeyboardInterrupt


@pytest.mark.extended
def test_archive_gives_up_if_the_table_stays_locked(owner, month, tmp_path, monkeypatch):
    """Nobody who plays waits longer than half a second for it, and nothing is lost."""
    monkeypatch.setattr(archive, "DETACH_TRIES", 1)
    reading, over = Event(), Event()

    def read():
        try:
            with transaction.atomic():
                Move.objects.count()
                reading.set()
                over.wait(30)
        finally:
            connection.close()

    reader = Thread(target=read)
    reader.start()
    assert reading.wait(30)
    try:
        with owner(), pytest.raises(MonthNotArchived, match="because it is in use"):
            archive_month(month, tmp_path)
    finally:
        over.set()
        reader.join()

    assert (ArchivedMonth.objects.count(), list(tmp_path.iterdir())) == (0, [])
    assert Move.objects.exists()


@pytest.mark.extended
def test_commands_archive_and_restore_old_months(owner, month, tmp_path, monkeypatch):
    later = timezone.now() + timedelta(days=365 * 3)
    monkeypatch.setattr(timezone, "now", lambda: later)
    moves, out = Move.objects.count(), StringIO()

    with owner():
        call_command("archive_months", tmp_path, stdout=out)
    made = ArchivedMonth.objects.get(month=month.first_day)

    assert f"{moves} rows in {made.file}" in out.getvalue()
    assert Move.objects.count() == 0
    with owner():
        call_command("restore", tmp_path / made.file, "--month", stdout=out)
        with pytest.raises(CommandError, match="is not archived"):
            call_command("restore", tmp_path / made.file, "--month", stdout=out)
    assert Move.objects.count() == moves
