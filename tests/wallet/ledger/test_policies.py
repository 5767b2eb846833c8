"""The database enforces what each kind of transfer may move, and that its document exists."""

import ast
from itertools import count
from pathlib import Path

import pytest
from django.db import Error, connection, transaction
from moneyed import Money

from tests.builders.wallet.players import (
    balances,
    books,
    fund,
    make_escrow,
    make_player,
    make_stake,
)
from wallet import exceptions
from wallet.bonuses import play_points
from wallet.ledger import accounts, posting
from wallet.ledger.models import PLAYER_KINDS, Account, Transfer
from wallet.stakes import stakes

pytestmark = pytest.mark.django_db(transaction=True)

CHECKOUT = Path(__file__).parents[3]
POSTING = ("wallet", "finance", "tables", "tournaments", "players", "staff", "config")
Kind, Document = Transfer.Kind, Transfer.Document
_numbers = count(1)


def rows(sql, *values):
    with connection.cursor() as cursor:
        cursor.execute(sql, values or None)
        return cursor.fetchall() if cursor.description else []


def operator(kind, currency="INR"):
    return accounts.operator_account(kind=kind, currency=currency)


def try_to_post(kind, *entries, **facts):
    key = f"try:{next(_numbers)}"
    return lambda: posting.post(key=key, kind=kind, entries=entries, **facts)


# Each attack is what any caller of `ledger_post` could do, and the audit found nothing wrong with.
def deposit_without_an_order(mine, **facts):
    clearing = operator("gateway_clearing")
    return try_to_post(Kind.DEPOSIT, (clearing, -5_00), (mine["deposit"], 5_00), **facts)


def prize_from_clearing(mine, **facts):
    clearing = operator("gateway_clearing")
    return try_to_post(Kind.PRIZE, (clearing, -5_00), (mine["winnings"], 5_00), **facts)


def points(mine, amount, **facts):
    own = accounts.open_player_accounts(player=mine["deposit"].player, currency="PTS")
    promotions = operator("promotions", "PTS")
    return try_to_post(Kind.GRANT, (promotions, -amount), (own["deposit"], amount), **facts)


def prize_to_a_stranger(mine):
    stake = make_stake()
    game = {"document": Document.GAME, "game": stake.escrow.ref}
    entries = [(stake.escrow, -100_00), (mine["winnings"], 100_00)]
    return try_to_post(Kind.PRIZE, *entries, must_be_empty=[stake.escrow], **game)


def prize_that_names_no_game(mine):
    stake = make_stake()
    winnings = accounts.open_player_accounts(player=stake.player, currency="INR")["winnings"]
    entries = [(stake.escrow, -100_00), (winnings, 100_00)]
    return try_to_post(Kind.PRIZE, *entries, document=Document.GAME, must_be_empty=[stake.escrow])


def prize_of_a_game_that_is_not_over(mine):
    stake = make_stake()
    winnings = accounts.open_player_accounts(player=stake.player, currency="INR")["winnings"]
    game = {"document": Document.GAME, "game": stake.escrow.ref}
    entries = [(stake.escrow, -100_00), (winnings, 100_00)]
    return try_to_post(Kind.PRIZE, *entries, must_be_empty=[stake.escrow], **game)


def stake_given_back_to_another(mine):
    stake = make_stake()
    game = {"document": Document.STAKES, "game": stake.escrow.ref}
    return try_to_post(Kind.REFUND, (stake.escrow, -5_00), (mine["deposit"], 5_00), **game)


def cash_out_of_what_was_lost(mine):
    stake = make_stake()
    own = accounts.open_player_accounts(player=stake.player, currency="INR")
    game = {"document": Document.STACK, "game": stake.escrow.ref}
    return try_to_post(Kind.CASH_OUT, (stake.escrow, -5_00), (own["deposit"], 5_00), **game)


def rake_without_a_deal(mine):
    stake = make_stake()
    game = {"document": Document.DEAL, "game": stake.escrow.ref}
    return try_to_post(Kind.RAKE, (stake.escrow, -5_00), (operator("rake"), 5_00), **game)


def entry_without_a_stake(mine):
    escrow = make_escrow()
    game = {"document": Document.STAKE, "game": escrow.ref}
    return try_to_post(Kind.BUY_IN, (mine["deposit"], -5_00), (escrow, 5_00), **game)


def entry_into_another_game(mine):
    game = {"document": Document.STAKE, "game": "table:another"}
    return try_to_post(Kind.BUY_IN, (mine["deposit"], -5_00), (make_escrow(), 5_00), **game)


def withdrawal_nobody_asked_for(mine):
    entries = [(mine["winnings"], -5_00), (mine["withdrawal_hold"], 5_00)]
    return try_to_post(Kind.WITHDRAWAL, *entries, document=Document.WITHDRAWAL)


def withdrawal_into_another_hold(mine):
    other = accounts.open_player_accounts(player=make_player(), currency="INR")
    entries = [(mine["winnings"], -5_00), (other["withdrawal_hold"], 5_00)]
    return try_to_post(Kind.WITHDRAWAL, *entries, document=Document.WITHDRAWAL)


def correction_by_nobody(mine):
    entries = [(operator("suspense"), -5_00), (mine["winnings"], 5_00)]
    return try_to_post(Kind.ADJUSTMENT, *entries, document=Document.ADJUSTMENT)


def fee_of_no_settlement(mine):
    entries = [(operator("gateway_fees"), -5_00), (operator("gateway_clearing"), 5_00)]
    return try_to_post(Kind.FEE, *entries, document=Document.SETTLEMENT, document_id=1)


def fee_paid_to_a_player(mine):
    entries = [(operator("gateway_clearing"), -5_00), (mine["deposit"], 5_00)]
    return try_to_post(Kind.FEE, *entries, document=Document.SETTLEMENT, document_id=1)


def tax_nobody_worked_out(mine):
    entries = [(mine["winnings"], -5_00), (operator("tds_payable"), 5_00)]
    return try_to_post(Kind.TAX, *entries, document=Document.WITHHOLDING)


def overlay_of_no_game(mine):
    escrow = make_escrow()
    game = {"document": Document.GUARANTEE, "game": escrow.ref}
    return try_to_post(Kind.GRANT, (operator("guarantee"), -5_00), (escrow, 5_00), **game)


def second_welcome(mine):
    player = mine["deposit"].player
    play_points.grant_sign_up(player=player)
    return points(mine, 5_00, document=Document.SIGN_UP, document_id=player.pk)


def second_refill_of_a_day(mine):
    player = mine["deposit"].player
    play_points.refill_points(player=player)
    return points(mine, 5_00, document=Document.REFILL, document_id=player.pk)


def welcome_above_the_limit(mine):
    player = mine["deposit"].player
    return points(mine, 10_000_01, document=Document.SIGN_UP, document_id=player.pk)


def refill_above_the_level(mine):
    player = mine["deposit"].player
    play_points.grant_sign_up(player=player)
    return points(mine, 1, document=Document.REFILL, document_id=player.pk)


def refill_of_what_is_in_a_game(mine):
    player = mine["deposit"].player
    play_points.grant_sign_up(player=player)
    stakes.take_stake(
        player=player,
        escrow=make_escrow(currency="PTS"),
        entry=Money(4_000, "PTS"),
        rake_bps=0,
        key=f"buyin:{player.pk}",
    )
    return points(mine, 1, document=Document.REFILL, document_id=player.pk)


ATTACKS = {
    deposit_without_an_order: "transfer_not_allowed",
    prize_from_clearing: "transfer_not_allowed",
    prize_to_a_stranger: "document_missing",
    prize_that_names_no_game: "transfer_not_allowed",
    prize_of_a_game_that_is_not_over: "document_missing",
    stake_given_back_to_another: "document_missing",
    cash_out_of_what_was_lost: "document_missing",
    rake_without_a_deal: "document_missing",
    entry_without_a_stake: "document_missing",
    entry_into_another_game: "transfer_not_allowed",
    withdrawal_nobody_asked_for: "document_missing",
    withdrawal_into_another_hold: "transfer_not_allowed",
    correction_by_nobody: "document_missing",
    fee_of_no_settlement: "document_missing",
    fee_paid_to_a_player: "transfer_not_allowed",
    tax_nobody_worked_out: "document_missing",
    overlay_of_no_game: "document_missing",
    second_welcome: "document_missing",
    second_refill_of_a_day: "document_missing",
    welcome_above_the_limit: "document_missing",
    refill_above_the_level: "document_missing",
    refill_of_what_is_in_a_game: "document_missing",
    lambda mine: deposit_without_an_order(mine, document="order"): "document_missing",
    lambda mine: deposit_without_an_order(mine, document="payment"): "transfer_not_allowed",
    lambda mine: prize_from_clearing(mine, document="game"): "transfer_not_allowed",
    lambda mine: points(mine, 10**9): "transfer_not_allowed",
    lambda mine: points(mine, 10**9, document="sign_up"): "amount_above_limit",
    lambda mine: points(mine, 5_00, document="sign_up", document_id=1): "document_missing",
    lambda mine: points(mine, 5_00, document="bot"): "document_missing",
    lambda mine: try_to_post("gift", (mine["deposit"], -5), (operator("rake"), 5)): (
        "transfer_not_allowed"
    ),
    lambda mine: try_to_post("reversal", (mine["deposit"], -5), (operator("rake"), 5)): (
        "transfer_not_allowed"
    ),
}


def test_transfer_without_document_is_refused(strict, subtests):
    theirs = [fund(make_player(), deposit=100_00, winnings=50_00) for _ in ATTACKS]
    posts = [attack(mine) for attack, mine in zip(ATTACKS, theirs, strict=True)]
    before = books()
    strict()

    for post, mine, (attack, code) in zip(posts, theirs, ATTACKS.items(), strict=True):
        held = balances(*mine.values())
        with subtests.test(f"{attack.__name__}, line {attack.__code__.co_firstlineno}"):
            with pytest.raises(exceptions.LedgerRefusal) as refusal:
                post()

            assert refusal.value.code == code
            assert (books(), balances(*mine.values())) == (before, held)


def test_a_document_refused_at_commit_takes_everything_with_it():
    """Within a transaction of the caller's the refusal comes when that commits."""
    mine = fund(make_player(), deposit=100_00)
    post, before = entry_without_a_stake(mine), books()

    with pytest.raises(Error, match="behind transfer") as refusal, transaction.atomic():
        assert post().entry_count == 2

    assert refusal.value.__cause__.sqlstate == "RL017"
    assert (books(), balances(mine["deposit"])) == (before, [100_00])


WALK = """
DO $$
DECLARE
    step record;
    said text;
BEGIN
    FOR step IN
        SELECT p.*, g.id AS giver, g.kind AS giver_kind, t.id AS taker, t.kind AS taker_kind
        FROM wallet_policy AS p, wallet_account AS g, wallet_account AS t
        WHERE p.document <> '' AND g.id <> t.id AND g.currency = t.currency
            AND p.kind <> 'reversal'
            AND (g.currency = 'PTS') = (p.money IS NOT DISTINCT FROM 'points')
    LOOP
        BEGIN
            PERFORM ledger_post('walk', step.kind, ARRAY[step.giver, step.taker], ARRAY[-1, 1],
                ARRAY[NULL, NULL]::text[], '{}', '', '', NULL, gen_random_uuid(),
                step.document, NULL, 'walk');
            RAISE EXCEPTION USING ERRCODE = 'RL000';
        EXCEPTION WHEN OTHERS THEN
            said := SQLSTATE;
        END;
        IF said NOT IN ('RL000', 'RL010', 'RL016', 'RL019') OR (said = 'RL016') <> (
            step.giver_kind <> ALL (step.gives) OR step.taker_kind <> ALL (step.takes))
            -- Here nobody owes anything.
            OR said = 'RL000' AND step.taker_kind = 'receivable'
            OR said = 'RL019' AND step.taker_kind <> 'receivable'
        THEN
            RAISE EXCEPTION '%', row_to_json(step)::text || said;
        END IF;
    END LOOP;
END
$$
"""


def test_every_kind_moves_money_between_its_own_accounts_only():
    player = make_player()
    for currency in ("INR", "PTS"):
        for kind in Account.Kind:
            if kind == "ticket":
                accounts.open_ticket(player=player, ref="walk", currency=currency)
            elif kind == "escrow":
                accounts.open_escrow(ref="walk", currency=currency)
            elif kind in (*PLAYER_KINDS, "receivable"):
                accounts.open_player_account(player=player, currency=currency, kind=kind)
            else:
                operator(kind, currency)
    assert Account.objects.count() == 2 * len(Account.Kind)

    with connection.cursor() as cursor:
        cursor.execute(WALK)


def test_a_kind_has_the_documents_of_its_policies_and_no_others(strict):
    strict()
    policies = set(rows("SELECT kind, document FROM wallet_policy"))
    assert {kind for kind, _ in policies} == set(Kind.values)
    assert {document for _, document in policies} == set(Document.values)
    mine, rake = (
        accounts.open_player_accounts(player=make_player(), currency="INR"),
        operator("rake"),
    )

    for kind in Kind.values:
        for document in ["", *Document.values]:
            if (kind, document) in policies:
                continue
            entries = [(mine["bonus"], -1), (rake, 1)]
            with pytest.raises(exceptions.TransferNotAllowed):
                try_to_post(kind, *entries, document=document, game="walk")()


@pytest.mark.parametrize("column", ["gives", "takes"])
def test_policies_name_kinds_of_accounts_that_exist(column):
    named = {kind for (kind,) in rows(f"SELECT DISTINCT unnest({column}) FROM wallet_policy")}

    assert named <= set(Account.Kind.values)


def test_two_players_do_not_pay_one_entry():
    escrow = make_escrow()
    theirs = [fund(make_player(), deposit=100_00)["deposit"] for _ in range(2)]
    entries = [*((account, -5_00) for account in theirs), (escrow, 10_00)]

    with pytest.raises(exceptions.TransferNotAllowed, match="belong to several players"):
        try_to_post(Kind.BUY_IN, *entries, document=Document.STAKE, game=escrow.ref)()


def test_every_posting_of_the_product_names_its_document():
    """Tests may post without one; the product may not."""
    named, without = 0, []
    for path in (path for app in POSTING for path in (CHECKOUT / app).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "posting.post":
                is_named = any(keyword.arg == "document" for keyword in node.keywords)
                named += is_named
                without += [] if is_named else [f"{path}:{node.lineno}"]

    assert without == []
    assert named >= 20
