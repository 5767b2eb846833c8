"""A process with the application's login invents the result of a game that is being played.

All is written as the application's role, with every guard on and by the ledger's own functions:
the books agree, and only a replay shows that nobody won.
"""

import gzip
import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import transaction

from core.clock import database_now
from core.partitions.archive import archive_month
from core.partitions.partitions import make_months, months
from tables.integrity import play_audit
from tables.models.deals import Deal
from tables.models.seats import Elimination, Score
from tables.models.tables import Table
from tables.settlement.models import Result
from tables.state.fold import reveal_seed
from tests.builders.books.audit_starts import start_at
from tests.builders.tables.played_games import duel, running_duel, straight
from tests.builders.tables.playing import deal_at, seat_at
from tests.builders.wallet.tax_office import unguarded
from wallet.audit import seals
from wallet.audit.audit import Finding, check_findings, row_findings
from wallet.audit.freezes import check_books, check_new_rows
from wallet.audit.models import AuditRun, Seal, WithdrawalFreeze
from wallet.audit.starts import BEGINNING
from wallet.ledger.money import as_money
from wallet.stakes import stakes
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db(transaction=True)


def pay_prize(table, winner):
    """Post the prize as the settlement does: the ledger accepts it, and the escrow is empty."""
    paid_in = list(Stake.objects.in_escrow().filter(escrow=table.escrow))
    stakes.settle_game(
        escrow=table.escrow,
        stakes=paid_in,
        prizes=[(winner.player, as_money(sum(s.net_minor for s in paid_in), table.currency))],
        key=f"finish:{table.pk}",
        actor="settlement",
    )


@transaction.atomic
def invent_result(table, winner, loser, *, total=0):
    """Write places and prize of a game, and end it."""
    pay_prize(table, winner)
    Result.objects.create(table=table, seat=winner, place=1, total=0, prize_minor=180_00)
    Result.objects.create(table=table, seat=loser, place=2, total=total)
    Table.objects.filter(pk=table.pk).update(
        phase="finished", ending="won", finished_at=database_now(), due_at=None
    )


def invent_scores(table, winner, loser):
    """Score the deal on the table as if the loser had reached the limit in it."""
    deal = deal_at(table)
    Score.objects.bulk_create(
        [
            Score(table=table, deal=deal, seat=winner, points=0, total_after=0, how="won"),
            Score(table=table, deal=deal, seat=loser, points=81, total_after=81, how="lost"),
        ]
    )
    now = database_now()
    Deal.objects.filter(pk=deal.pk).update(
        status="settled", ending="show", ended_at=now, settled_at=now
    )
    deal.refresh_from_db()
    reveal_seed(deal, now)
    Elimination.objects.create(table=table, seat=loser, deal=deal, total=81)
    return deal


def named(start=BEGINNING):
    said = [each for each in play_audit.findings(start) if isinstance(each, Finding)]
    return {(each.check, each.subject) for each in (*row_findings(start=start), *said)}


def test_audit_names_an_invented_result_of_a_running_cash_duel():
    table = running_duel()

    invent_result(table, seat_at(table, 1), seat_at(table, 2))

    assert named() == {
        ("deal_open", f"deal {deal_at(table).pk}"),
        ("result_undecided", f"table {table.pk}"),
        # Nobody is ahead: both share the first place.
        *(("result_differs", f"result {result.pk}") for result in table.results.all()),
    }


def test_invented_result_with_scores_is_named_and_freezes_withdrawals_at_the_next_short_audit():
    duel()
    seals.seal_ledger()
    assert check_books().findings == ()
    table = running_duel()
    winner, loser = seat_at(table, 1), seat_at(table, 2)
    deal = invent_scores(table, winner, loser)
    invent_result(table, winner, loser, total=81)
    seals.seal_ledger()

    report = check_new_rows()

    assert named() == {("deal_not_over", f"deal {deal.pk}")}
    assert report.kind == AuditRun.Kind.SHORT
    [finding] = report.findings
    assert (finding.check, finding.subject) == ("deal_not_over", f"deal {deal.pk}")
    assert "1 deals compared with their moves" in report.notes
    assert "deal_not_over" in WithdrawalFreeze.objects.active().get().findings


def test_short_audit_replays_only_new_deals_and_the_command_prints_how_many():
    duel()
    seals.seal_ledger()
    seal = Seal.objects.latest_first().first()
    deals = Deal.objects.filter(status="settled").count()
    assert deals > 1

    with transaction.atomic():
        *_, all_of_them = play_audit.findings(start_at(None))
        *_, none = play_audit.findings(start_at(seal))
        transaction.set_rollback(True)

    note = f"{deals} deals compared with their moves"
    assert (str(all_of_them), str(none)) == (note, "0 deals compared with their moves")
    text, as_json = StringIO(), StringIO()
    call_command("audit_ledger", stdout=text)
    call_command("audit_ledger", "--json", stdout=as_json)
    assert f"\n  {note}\n" in text.getvalue()
    assert note in json.loads(as_json.getvalue())["notes"]


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


def test_archived_month_is_replayed_from_its_file_and_differences_are_named(
    archived, settings, tmp_path
):
    games, month = archived
    path = tmp_path / month.file

    found, notes = check_findings()
    assert found == ()
    assert f"{month} was read from {path}: {deals_of(games)} deals" in notes

    settings.MONTHS_DIR = ""
    found, notes = check_findings()
    assert found == (), "a missing file is noted, and no difference"
    assert f"{month} was not read: there is no {month.file} in MONTHS_DIR" in notes
    settings.MONTHS_DIR = str(tmp_path)

    score = games[0].deals.get(no=1).scores.get(how="middle_drop")
    with unguarded() as cursor:
        cursor.execute("UPDATE tables_score SET points = 0 WHERE id = %s", [score.pk])
    found, _ = check_findings()
    assert ("score_differs", f"score {score.pk}") in {(f.check, f.subject) for f in found}

    text = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(text.replace(b"drop", b"ds")))
    found, _ = check_findings()
    altered = ("archive_altered", f"month {month.month:%Y-%m}")
    assert altered in {(f.check, f.subject) for f in found}
