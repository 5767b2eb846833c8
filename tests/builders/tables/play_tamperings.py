"""Statements that alter played games, and the finding of the audit of play for each."""

from __future__ import annotations

from typing import Final

FIRST_DEAL: Final = "deal_id = (SELECT id FROM tables_deal WHERE table_id = {table} AND no = 1)"
SWAP: Final = """
    UPDATE tables_dealseat SET position = 9 - position WHERE deal_id = {key};
    UPDATE tables_dealseat SET position = position - 6 WHERE deal_id = {key}
"""
OF_DEAL_1: Final = "SELECT id FROM tables_deal WHERE table_id = {table} AND no = 1"

# The alteration, the game, the row's key, the statement, the check and the row that it names.
CATALOGUE: Final = [
    (
        "a score's points",
        "duel",
        f"SELECT id FROM tables_score WHERE {FIRST_DEAL} AND points > 0",
        "UPDATE tables_score SET points = 1, total_after = 1 WHERE id = {key}",
        "score_differs score {key}",
    ),
    (
        "a score's total",
        "duel",
        f"SELECT id FROM tables_score WHERE {FIRST_DEAL} AND points > 0",
        "UPDATE tables_score SET total_after = total_after - 1 WHERE id = {key}",
        "score_total score {key}",
    ),
    (
        "how a score came about",
        "duel",
        f"SELECT id FROM tables_score WHERE {FIRST_DEAL} AND how = 'middle_drop'",
        "UPDATE tables_score SET how = 'first_drop' WHERE id = {key}",
        "score_differs score {key}",
    ),
    (
        "a score removed",
        "duel",
        f"SELECT deal_id FROM tables_score WHERE {FIRST_DEAL} AND how = 'won'",
        "DELETE FROM tables_score WHERE deal_id = {key} AND how = 'won'",
        "score_missing deal {key}",
    ),
    (
        "a score added to a running deal",
        "running duel",
        OF_DEAL_1,
        (
            "INSERT INTO tables_score"
            " (table_id, deal_id, seat_id, points, total_after, how, arrangement)"
            " SELECT table_id, deal_id, seat_id, 80, 80, 'lost', '' FROM tables_dealseat"
            " WHERE deal_id = {key} AND position = 1"
        ),
        "score_not_dealt score {score}",
    ),
    (
        "a move's text",
        "duel",
        OF_DEAL_1,
        "UPDATE tables_move SET text = 'p2 drop' WHERE deal_id = {key} AND ply = 1",
        "replay_refused deal {key}",
    ),
    (
        "a move removed",
        "duel",
        OF_DEAL_1,
        (
            "DELETE FROM tables_move WHERE deal_id = {key}"
            " AND ply = (SELECT max(ply) FROM tables_move WHERE deal_id = {key})"
        ),
        "deal_not_over deal {key}",
    ),
    (
        "a move's seat",
        "duel",
        OF_DEAL_1,
        (
            "UPDATE tables_move SET seat_id = (SELECT seat_id FROM tables_dealseat"
            " WHERE deal_id = {key} AND position = 2) WHERE deal_id = {key} AND ply = 1"
        ),
        "move_seat deal {key}",
    ),
    (
        "two dealt seats swapped",
        "duel",
        OF_DEAL_1,
        SWAP,
        "turn_order deal {key}",
    ),
    (
        "who leads a later deal",
        "duel",
        "SELECT id FROM tables_deal WHERE table_id = {table} AND no = 2",
        SWAP,
        "turn_order deal {key}",
    ),
    (
        "a deal's ending",
        "duel",
        OF_DEAL_1,
        "UPDATE tables_deal SET ending = 'show' WHERE id = {key}",
        "ending_differs deal {key}",
    ),
    (
        "a deal left open in a finished game",
        "duel",
        OF_DEAL_1,
        "UPDATE tables_deal SET status = 'playing' WHERE id = {key}",
        "deal_open deal {key}",
    ),
    (
        "a settled deal called void",
        "duel",
        OF_DEAL_1,
        "UPDATE tables_deal SET status = 'void' WHERE id = {key}",
        "void_unexplained deal {key}",
    ),
    (
        "a deal's toss",
        "duel",
        OF_DEAL_1,
        "UPDATE tables_deal SET toss = 'AS 2S' WHERE id = {key}",
        "toss_differs deal {key}",
    ),
    (
        "a revealed seed",
        "duel",
        OF_DEAL_1,
        "UPDATE tables_reveal SET server_seed = repeat('0', 64) WHERE deal_id = {key}",
        "seed_differs deal {key}",
    ),
    (
        "a revealed seed removed",
        "duel",
        OF_DEAL_1,
        "DELETE FROM tables_reveal WHERE deal_id = {key}",
        "seed_not_revealed deal {key}",
    ),
    (
        "a seed with its commitment",
        "duel",
        OF_DEAL_1,
        (
            "UPDATE tables_reveal SET server_seed = repeat('0', 64) WHERE deal_id = {key};"
            "UPDATE tables_deal"
            " SET commitment = encode(sha256(decode(repeat('0', 64), 'hex')), 'hex')"
            " WHERE id = {key}"
        ),
        "chain_broken deal {key}",
    ),
    (
        "a client seed added",
        "duel",
        OF_DEAL_1,
        (
            "INSERT INTO tables_clientseed (table_id, deal_id, seat_id, text, given_at)"
            " SELECT table_id, deal_id, seat_id, 'luck', now() FROM tables_dealseat"
            " WHERE deal_id = {key} AND position = 1"
        ),
        "toss_differs deal {key}",
    ),
    (
        "an elimination's total",
        "duel",
        "SELECT id FROM tables_elimination WHERE table_id = {table}",
        "UPDATE tables_elimination SET total = total + 1 WHERE id = {key}",
        "elimination_total elimination {key}",
    ),
    (
        "an elimination removed",
        "duel",
        (
            "SELECT s.id FROM tables_score AS s JOIN tables_elimination AS e"
            " ON e.seat_id = s.seat_id AND e.deal_id = s.deal_id WHERE e.table_id = {table}"
        ),
        "DELETE FROM tables_elimination WHERE table_id = {table}",
        "elimination_missing score {key}",
    ),
    (
        "a seat out early",
        "running duel",
        "SELECT seat_id FROM tables_dealseat WHERE table_id = {table} AND position = 1",
        (
            "INSERT INTO tables_elimination (table_id, seat_id, deal_id, total, at)"
            " SELECT table_id, seat_id, deal_id, 0, now() FROM tables_dealseat"
            " WHERE table_id = {table} AND position = 1"
        ),
        "elimination_early elimination {elimination}",
    ),
    (
        "a result of a running game",
        "running duel",
        "SELECT {table}",
        (
            "INSERT INTO tables_result (table_id, seat_id, place, total, prize_minor)"
            " SELECT table_id, seat_id, position, 0, 0 FROM tables_dealseat"
            " WHERE table_id = {table}"
        ),
        "result_early table {table}",
    ),
    (
        "a running game called finished",
        "running duel",
        "SELECT {table}",
        (
            "INSERT INTO tables_result (table_id, seat_id, place, total, prize_minor)"
            " SELECT table_id, seat_id, position, 0, 0 FROM tables_dealseat"
            " WHERE table_id = {table};"
            "UPDATE tables_table SET phase = 'finished', finished_at = now(), due_at = NULL,"
            " ending = 'won' WHERE id = {table}"
        ),
        "result_undecided table {table}",
    ),
    (
        "a running game called cancelled",
        "running duel",
        "SELECT {table}",
        (
            "UPDATE tables_table SET phase = 'cancelled', finished_at = now(), due_at = NULL"
            " WHERE id = {table}"
        ),
        "cancelled_unexplained table {table}",
    ),
    (
        "the winner",
        "duel",
        "SELECT id FROM tables_result WHERE table_id = {table} AND place = 1",
        (
            "UPDATE tables_result SET place = 3 - place,"
            " prize_minor = 18000 - prize_minor WHERE table_id = {table}"
        ),
        "result_differs result {key}",
    ),
    (
        "a result's total",
        "duel",
        "SELECT id FROM tables_result WHERE table_id = {table} AND place = 2",
        "UPDATE tables_result SET total = total - 1 WHERE id = {key}",
        "result_total table {table}",
    ),
    (
        "a result removed",
        "duel",
        "SELECT id FROM tables_result WHERE table_id = {table} AND place = 2",
        "DELETE FROM tables_result WHERE id = {key}",
        "result_missing table {table}",
    ),
    (
        "the total after a rejoin",
        "pool after a rejoin",
        "SELECT id FROM tables_elimination WHERE table_id = {table}",
        "UPDATE tables_elimination SET rejoined_total = 1 WHERE id = {key}",
        "rejoin_total elimination {key}",
    ),
    (
        "a rejoin without a yes",
        "pool after a rejoin",
        "SELECT id FROM tables_elimination WHERE table_id = {table}",
        "UPDATE tables_answer SET said = 'no' WHERE table_id = {table}",
        "rejoin_not_asked elimination {key}",
    ),
    (
        "a rejoin that was not paid",
        "pool after a rejoin",
        "SELECT seat_id FROM tables_elimination WHERE table_id = {table}",
        "DELETE FROM tables_buyin WHERE seat_id = {key} AND no = 2",
        "rejoin_not_paid seat {key}",
    ),
    (
        "a split's share",
        "pool after a split",
        "SELECT id FROM tables_window WHERE table_id = {table} AND kind = 'split'",
        (
            "UPDATE tables_answer SET amount_minor = amount_minor + CASE WHEN id ="
            " (SELECT min(id) FROM tables_answer WHERE window_id = {key}) THEN 1 ELSE 0 END"
            " WHERE window_id = {key}"
        ),
        "split_shares window {key}",
    ),
    (
        "a split without everybody's yes",
        "pool after a split",
        "SELECT id FROM tables_window WHERE table_id = {table} AND kind = 'split'",
        (
            "UPDATE tables_answer SET said = 'no' WHERE id ="
            " (SELECT min(id) FROM tables_answer WHERE window_id = {key})"
        ),
        "split_not_agreed window {key}",
    ),
    (
        "chips after a deal",
        "deals",
        f"SELECT id FROM tables_score WHERE {FIRST_DEAL} AND how = 'won'",
        "UPDATE tables_score SET chips_after = chips_after + 10 WHERE id = {key}",
        "score_differs score {key}",
    ),
    (
        "what a deal at a points table cost",
        "points",
        f"SELECT id FROM tables_score WHERE {FIRST_DEAL} AND won_minor < 0",
        "UPDATE tables_score SET won_minor = won_minor + 100 WHERE id = {key}",
        "score_differs score {key}",
    ),
    (
        "a result of a points table",
        "points",
        "SELECT {table}",
        (
            "INSERT INTO tables_result (table_id, seat_id, place, total, prize_minor)"
            " SELECT table_id, min(id), 1, 0, 0 FROM tables_seat WHERE table_id = {table}"
            " GROUP BY table_id"
        ),
        "result_early table {table}",
    ),
    (
        "a deal of straight rummy",
        "straight",
        f"SELECT id FROM tables_score WHERE {FIRST_DEAL} AND points <> 0",
        "UPDATE tables_score SET points = points + 5 WHERE id = {key}",
        "score_differs score {key}",
    ),
    (
        "a place of a tournament's table",
        "tournament",
        "SELECT id FROM tables_result WHERE table_id = {table} ORDER BY place DESC",
        "UPDATE tables_result SET place = 1 WHERE id = {key}",
        "result_differs result {key}",
    ),
    (
        "a deal removed",
        "duel",
        "SELECT {table}",
        "DELETE FROM tables_score WHERE deal_id IN (" + OF_DEAL_1 + ");"
        "DELETE FROM tables_deal WHERE id IN (" + OF_DEAL_1 + ")",
        "deal_missing table {table}",
    ),
    (
        "a seat dealt in that had left",
        "duel that was left",
        "SELECT id FROM tables_seat WHERE table_id = {table} AND left_at IS NOT NULL",
        "UPDATE tables_seat SET left_at = left_at - interval '1 hour' WHERE id = {key}",
        "dealt_when_out deal {deal}",
    ),
    (
        "the rules it was played by",
        "duel",
        f"SELECT id FROM tables_score WHERE {FIRST_DEAL} AND how = 'middle_drop'",
        (
            "UPDATE tables_ruleprofile"
            " SET text = replace(text, 'middle_drop: 80', 'middle_drop: 60')"
            " WHERE id = (SELECT profile_id FROM tables_table WHERE id = {table})"
        ),
        "score_differs score {key}",
    ),
    (
        "a split that was not accepted",
        "pool after a split",
        "SELECT id FROM tables_window WHERE table_id = {table} AND kind = 'split'",
        "UPDATE tables_window SET outcome = 'refused' WHERE id = {key}",
        "result_shares table {table}",
    ),
    (
        "rules that cannot be parsed",
        "duel",
        "SELECT {table}",
        (
            "UPDATE tables_ruleprofile SET text = 'no rules'"
            " WHERE id = (SELECT profile_id FROM tables_table WHERE id = {table})"
        ),
        "play_unreadable table {table}",
    ),
]
