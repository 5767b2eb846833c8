"""What is over stays as it ended, for the application's role and for the owner of the schema."""

from contextlib import nullcontext

import pytest
from django.db import DatabaseError, connection, transaction

from tables.integrity.moderation import disputes
from tables.models.deals import Deal
from tables.models.seats import Elimination, Seat
from tables.models.tables import Table
from tables.settlement.models import Answer, Window
from tests.builders.tables.disputes import complain, played_deal
from tests.builders.tables.pools import let_time_pass, make_pool, nobody_rejoins, score
from tests.builders.wallet.players import make_player
from wallet.audit.audit import row_findings

pytestmark = pytest.mark.django_db
# By the rows they are about, each as the application's role may name its columns.
REWRITINGS = (
    ("tables_answer", "said = 'yes'", "answered once|question is closed"),
    ("tables_answer", "answered_at = now()", "answered once|question is closed"),
    ("tables_window", "outcome = 'agreed'", "closed once"),
    ("tables_window", "closed_at = now()", "closed once"),
    ("tables_window", "gap_ms_left = 1", "closed once"),
    ("tables_seat", "left_at = now()", "is over"),
    ("tables_seat", "number = number + 2", "is over"),
    ("tables_elimination", "rejoined_at = now(), rejoined_total = 51", "is over"),
    ("tables_deal", "status = 'playing'", "deal that is over"),
    ("tables_deal", "ended_at = now()", "deal that is over"),
    ("tables_deal", "settled_at = now()", "deal that is over"),
    ("tables_deal", "ending = 'drop'", "deal that is over"),
    ("tables_table", "phase = 'playing', finished_at = NULL", "game that is over"),
    ("tables_table", "finished_at = now()", "game that is over"),
    ("tables_table", "started_at = now()", "game that is over"),
    ("tables_table", "ending = 'split'", "game that is over"),
    ("tables_table", "starters = starters + 1", "game that is over"),
    ("tables_table", "deal_no = deal_no + 1", "game that is over"),
    ("tables_table", "opened_by_id = (SELECT max(id) FROM players_user)", "game that is over"),
)
ADDITIONS = (
    """INSERT INTO tables_buyin (table_id, seat_id, no, stake_id)
        SELECT table_id, seat_id, no + 5, (SELECT max(id) FROM wallet_stake)
        FROM tables_buyin LIMIT 1""",
    """INSERT INTO tables_seat (table_id, player_id, number, joined_at, deals_missed, is_absent)
        SELECT table_id, (SELECT max(id) FROM players_user), 9, now(), 0, false
        FROM tables_seat LIMIT 1""",
)


@pytest.fixture
def over(db):
    """Return a pool that is over: one of those out declined to rejoin, one did not answer."""
    table = score(make_pool(players=4), 0, 50, 101, 60)
    nobody_rejoins(table)
    table = score(table, 10, 70, 101)
    let_time_pass(table)
    table = nobody_rejoins(score(table, 20, 101))
    assert table.phase == Table.Phase.FINISHED
    return table


def test_nothing_of_a_game_that_is_over_is_rewritten(over, owner, subtests):
    assert {answer.said for answer in Answer.objects.all()} == {"", "no"}
    kept = everything()
    tried = 0

    for table, change, why in REWRITINGS:
        for role in (nullcontext, owner):
            with subtests.test(f"{table}: {change}, {role.__name__}"):
                with role(), pytest.raises(DatabaseError, match=why):
                    run(f"UPDATE {table} SET {change}")
                tried += 1
    for addition in ADDITIONS:
        with pytest.raises(DatabaseError, match="is over"):
            run(addition)

    assert tried == 2 * len(REWRITINGS)
    assert everything() == kept
    assert row_findings() == ()


@pytest.mark.parametrize("change", ["status = 'open', closed_at = NULL", "answer = 'Another'"])
def test_a_closed_dispute_is_not_rewritten(change, owner):
    dispute, staff = complain(played_deal()), make_player(is_staff=True)
    disputes.answer_dispute(dispute_id=dispute.pk, by=staff, answer="It ran as it should.")
    disputes.close_dispute(dispute_id=dispute.pk, by=staff)

    for role in (nullcontext, owner):
        with role(), pytest.raises(DatabaseError, match="stays closed"):
            run(f"UPDATE tables_dispute SET {change}")

    assert disputes.close_dispute(dispute_id=dispute.pk, by=staff).answer == "It ran as it should."


def run(statement):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def everything():
    return [
        list(model.objects.order_by("pk").values())
        for model in (Answer, Window, Seat, Elimination, Deal, Table)
    ]
