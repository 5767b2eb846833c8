"""Deals with archived moves are replayed from the archive, or noted as not replayed."""

import gzip

import pytest

from core.partitions.archive import archive_month
from core.partitions.partitions import make_months, months
from tests.builders.tables.played_games import duel, straight
from tests.builders.wallet.tax_office import unguarded
from wallet.audit.audit import check_findings

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def archived(owner, tmp_path, settings):
    """Two games, the month of their moves in a file, and the directory in the settings."""
    make_months()
    games = [duel(), straight()]
    settings.MONTHS_DIR = str(tmp_path)
    with owner():
        made = [
            archive_month(month, tmp_path)
            for month in months()
            if month.first_day == games[0].deals.get(no=1).dealt_on.replace(day=1)
        ]
    yield games, made[0]
    make_months()


def deals_of(games):
    return sum(game.deals.filter(status="settled").count() for game in games)


def test_archived_month_is_replayed_from_its_file(archived, tmp_path):
    games, month = archived

    found, notes = check_findings()

    assert found == ()
    read = f"{month} was read from {tmp_path / month.file}: {deals_of(games)} deals"
    assert read in notes


def test_altered_score_of_an_archived_deal_is_named(archived):
    [game, _], _ = archived
    score = game.deals.get(no=1).scores.get(how="middle_drop")
    with unguarded() as cursor:
        cursor.execute("UPDATE tables_score SET points = 0 WHERE id = %s", [score.pk])

    found, _ = check_findings()

    assert ("score_differs", f"score {score.pk}") in {(f.check, f.subject) for f in found}


def test_missing_file_is_noted_and_not_reported_as_a_difference(archived, settings):
    _, month = archived
    settings.MONTHS_DIR = ""

    found, notes = check_findings()

    assert found == ()
    assert f"{month} was not read: there is no {month.file} in MONTHS_DIR" in notes


def test_altered_file_is_a_difference(archived, tmp_path):
    _, month = archived
    path = tmp_path / month.file
    text = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(text.replace(b"drop", b"ds")))

    [finding], _ = check_findings()

    assert (finding.check, finding.subject) == ("archive_altered", f"month {month.month:%Y-%m}")
