"""The database refuses to rewrite what a game rests on, for the application and for the owner."""

from contextlib import nullcontext

import pytest
from django.db import DatabaseError, connection, transaction

from tables.integrity.moderation import disputes
from tables.integrity.moderation.dispute_models import Dispute
from tables.models.deals import Deal, DealSeat, DealSecret, Move
from tables.models.seats import Elimination, Score, Seat
from tables.models.tables import Table
from tables.models.templates import RuleProfile
from tables.seats import seating
from tables.settlement.models import Answer, Window
from tests.builders.tables.deals import drop_out
from tests.builders.tables.disputes import complain
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.pools import let_time_pass, make_pool, nobody_rejoins, score
from tests.builders.tables.shared import shared
from wallet.audit.audit import row_findings
from wallet.ledger.accounts import open_escrow

pytestmark = pytest.mark.django_db

COMMITTED = "keeps its table and number"
DRAWN = "keeps its commitment and chain"
DISPUTED = "append-only|keeps"
# What the application has no right to do, and the error that the owner gets.
NEVER_DONE = {
    "UPDATE tables_deal SET no = no + 10 WHERE no = 2": COMMITTED,
    "UPDATE tables_deal SET table_id = table_id + 1 WHERE no = 2": COMMITTED,
    "UPDATE tables_deal SET public_id = gen_random_uuid() WHERE no = 2": COMMITTED,
    "DELETE FROM tables_deal": "append-only",
    "TRUNCATE tables_deal CASCADE": "append-only",
    "UPDATE tables_dealsecret SET encrypted_seed = ''": "append-only",
    "DELETE FROM tables_dealsecret": "append-only",
    "TRUNCATE tables_dealsecret": "append-only",
    "UPDATE tables_move SET id = id": "append-only",
    "DELETE FROM tables_move": "append-only",
    "UPDATE tables_score SET id = id": "append-only",
    "DELETE FROM tables_score": "append-only",
    "UPDATE tables_ruleprofile SET id = id": "append-only",
    "DELETE FROM tables_ruleprofile": "append-only",
    "UPDATE tables_reveal SET server_seed = ''": "append-only",
    "DELETE FROM tables_reveal": "append-only",
    "DELETE FROM tables_clientseed": "append-only",
    "UPDATE tables_dispute SET evidence = 'another'": DISPUTED,
    "UPDATE tables_dispute SET text = 'I withdraw'": DISPUTED,
    "DELETE FROM tables_dispute": DISPUTED,
}
# What the application may write at other times.
NEVER_NOW = {
    "UPDATE tables_deal SET commitment = repeat('0', 64) WHERE no = 2": DRAWN,
    "UPDATE tables_deal SET chain = repeat('0', 64) WHERE no = 2": DRAWN,
    "UPDATE tables_deal SET status = 'void', chain = repeat('0', 64) WHERE no = 2": DRAWN,
}
# The columns that may be written once a game is played, when it is over.
OVER = "game that is over"
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
    ("tables_table", "phase = 'playing', finished_at = NULL", OVER),
    ("tables_table", "finished_at = now()", OVER),
    ("tables_table", "started_at = now()", OVER),
    ("tables_table", "ending = 'split'", OVER),
    ("tables_table", "starters = starters + 1", OVER),
    ("tables_table", "deal_no = deal_no + 1", OVER),
    ("tables_table", "opened_by_id = (SELECT max(id) FROM players_user)", OVER),
)
ADDITIONS = (
    """INSERT INTO tables_buyin (table_id, seat_id, no, stake_id)
        SELECT table_id, seat_id, no + 5, (SELECT max(id) FROM wallet_stake)
        FROM tables_buyin LIMIT 1""",
    """INSERT INTO tables_seat (table_id, player_id, number, joined_at, deals_missed, is_absent)
        SELECT table_id, (SELECT max(id) FROM players_user), 9, now(), 0, false
        FROM tables_seat LIMIT 1""",
)


@shared
def game():
    return make_game(players=2)


@pytest.fixture
def played(db):
    """Deal 1 is settled, with a client seed and a dispute about it; deal 2 has begun."""
    table = make_table(seats_min=3, seats_max=3)
    for text in ("marigold", "", ""):
        seating.join(table_id=table.pk, player=make_player(), client_seed=text)
    complain(drop_out(table))
    connection.check_constraints()  # Nothing is left to be checked when a table is emptied.


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


def refuses(role, statement, why):
    with role(), pytest.raises(DatabaseError, match=why):
        run(statement)


def run(statement):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def rows_of(*models):
    return [list(model.objects.order_by("pk").values()) for model in models]


def test_commitments_moves_and_scores_are_never_rewritten(played, owner, subtests):
    kept = rows_of(Deal, DealSecret, Move, Score, RuleProfile, Dispute)
    assert all(kept)

    for statement, why in NEVER_DONE.items():
        with subtests.test(statement):
            refuses(nullcontext, statement, "permission denied")
            refuses(owner, statement, why)
    for statement, why in NEVER_NOW.items():
        with subtests.test(statement):
            refuses(nullcontext, statement, why)
            refuses(owner, statement, why)

    assert rows_of(Deal, DealSecret, Move, Score, RuleProfile, Dispute) == kept


def test_the_application_deletes_nothing_a_game_rests_on(game):
    for name in ("elimination", "dealseat", "result", "buyin"):
        refuses(nullcontext, f"DELETE FROM tables_{name}", "permission denied")

    assert DealSeat.objects.count() == 2


def test_a_deal_that_is_over_takes_no_further_score_and_no_client_seed(owner, game):
    of_a_seat = "FROM tables_dealseat LIMIT 1"
    late_score = f"""INSERT INTO tables_score
            (table_id, deal_id, seat_id, points, total_after, how, arrangement, won_minor)
        SELECT table_id, deal_id, seat_id, 2, 2, 'lost', '', 0 {of_a_seat}"""
    late_seed = f"""INSERT INTO tables_clientseed
            (table_id, deal_id, seat_id, draw, commitment, text, given_at)
        SELECT table_id, deal_id, seat_id, 0, '', 'late', now() {of_a_seat}"""
    run("UPDATE tables_deal SET status = 'void', ended_at = now()")

    for role in (nullcontext, owner):
        refuses(role, late_score, "scored already")
        refuses(role, late_seed, "the seeds of this deal are closed")

    assert not Score.objects.exists()


def test_events_of_a_table_cannot_be_undone(owner, game):
    run("UPDATE tables_seat SET left_at = now()")
    account = open_escrow(ref="rejoins", currency="PTS")
    run(f"UPDATE tables_table SET rejoin_account_id = {account.pk}")
    run("UPDATE tables_table SET phase = 'cancelled', finished_at = now(), due_at = NULL")
    add = """INSERT INTO tables_elimination (table_id, seat_id, deal_id, total, at)
        SELECT table_id, seat_id, deal_id, 101, now() FROM tables_dealseat LIMIT 1"""

    for role in (nullcontext, owner):
        refuses(role, "UPDATE tables_deal SET toss = 'AS KS'", "a deal begins once")
        refuses(role, "UPDATE tables_seat SET left_at = NULL", "a seat is left once")
        refuses(role, "UPDATE tables_table SET rejoin_account_id = NULL", "paid to one account")
        refuses(role, add, "the game is over")


def test_nothing_of_a_game_that_is_over_is_rewritten(over, owner, subtests):
    models = (Answer, Window, Seat, Elimination, Deal, Table)
    assert {answer.said for answer in Answer.objects.all()} == {"", "no"}
    kept = rows_of(*models)

    for table, change, why in REWRITINGS:
        for role in (nullcontext, owner):
            with subtests.test(f"{table}: {change}, {role.__name__}"):
                refuses(role, f"UPDATE {table} SET {change}", why)
    for addition in ADDITIONS:
        refuses(nullcontext, addition, "is over")

    assert rows_of(*models) == kept
    assert row_findings() == ()


def test_a_closed_dispute_is_not_rewritten(played, owner):
    dispute, staff = Dispute.objects.get(), make_player(is_staff=True)
    disputes.answer_dispute(dispute_id=dispute.pk, by=staff, answer="It ran as it should.")
    disputes.close_dispute(dispute_id=dispute.pk, by=staff)

    for change in ("status = 'open', closed_at = NULL", "answer = 'Another'"):
        for role in (nullcontext, owner):
            refuses(role, f"UPDATE tables_dispute SET {change}", "stays closed")

    assert disputes.close_dispute(dispute_id=dispute.pk, by=staff).answer == "It ran as it should."
