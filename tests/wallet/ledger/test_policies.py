"""The database enforces what each kind of transfer may move, and that its document exists."""

import ast
import re
from itertools import count
from pathlib import Path

import pytest
from django.db import Error, connection, transaction
from moneyed import Money

from tests.builders.books.forgeries import operator
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


def try_to_post(kind, *entries, **facts):
    key = f"try:{next(_numbers)}"
    return lambda: posting.post(key=key, kind=kind, entries=entries, **facts)


def points(mine, amount, document="", *, of=None, after=None):
    """Try a grant of points to the player, who may have had another before."""
    player = mine["deposit"].player
    if after:
        after(player=player)
    own = accounts.open_player_accounts(player=player, currency="PTS")
    promotions = operator("promotions", "PTS")
    facts = {"document": document, "document_id": of or player.pk} if document else {}
    return try_to_post(Kind.GRANT, (promotions, -amount), (own["deposit"], amount), **facts)


def out_of_a_game(kind, document, to, amount=5_00, *, of_payer=False, names_game=True):
    """Try to pay a game's money before it is over: to the one who paid it, or to another."""
    stake = make_stake()
    if of_payer:
        to = accounts.open_player_accounts(player=stake.player, currency="INR")[to.kind]
    facts = {"document": document, "game": stake.escrow.ref if names_game else ""}
    if kind == Kind.PRIZE:
        facts["must_be_empty"] = [stake.escrow]
    return try_to_post(kind, (stake.escrow, -amount), (to, amount), **facts)


def into_a_game(kind, document, payer, *, game=""):
    escrow = make_escrow()
    facts = {"document": document, "game": game or escrow.ref}
    return try_to_post(kind, (payer, -5_00), (escrow, 5_00), **facts)


def pay(kind, payer, payee, document="", **facts):
    facts |= {"document": document} if document else {}
    return try_to_post(kind, (payer, -5_00), (payee, 5_00), **facts)


def entry_without_a_stake(mine):
    return into_a_game(Kind.BUY_IN, Document.STAKE, mine["deposit"])


def points_in_a_game(*, player):
    play_points.grant_sign_up(player=player)
    stakes.take_stake(
        player=player,
        escrow=make_escrow(currency="PTS"),
        entry=Money(4_000, "PTS"),
        rake_bps=0,
        key=f"buyin:{player.pk}",
    )


def another_hold():
    mine = accounts.open_player_accounts(player=make_player(), currency="INR")
    return mine["withdrawal_hold"]


MISSING, NOT_ALLOWED = "document_missing", "transfer_not_allowed"
welcome, refill = play_points.grant_sign_up, play_points.refill_points
# Each attack is what any caller of `ledger_post` could do, and the audit found nothing wrong with.
ATTACKS = {
    "deposit without an order": (
        NOT_ALLOWED,
        lambda m: pay(Kind.DEPOSIT, operator("gateway_clearing"), m["deposit"]),
    ),
    "deposit of an order that is not there": (
        MISSING,
        lambda m: pay(Kind.DEPOSIT, operator("gateway_clearing"), m["deposit"], "order"),
    ),
    "deposit that names a payment": (
        NOT_ALLOWED,
        lambda m: pay(Kind.DEPOSIT, operator("gateway_clearing"), m["deposit"], "payment"),
    ),
    "prize from clearing": (
        NOT_ALLOWED,
        lambda m: pay(Kind.PRIZE, operator("gateway_clearing"), m["winnings"], "game"),
    ),
    "prize to a stranger": (
        MISSING,
        lambda m: out_of_a_game(Kind.PRIZE, Document.GAME, m["winnings"], 100_00),
    ),
    "prize that names no game": (
        NOT_ALLOWED,
        lambda m: out_of_a_game(
            Kind.PRIZE, Document.GAME, m["winnings"], 100_00, of_payer=True, names_game=False
        ),
    ),
    "prize of a game that is not over": (
        MISSING,
        lambda m: out_of_a_game(Kind.PRIZE, Document.GAME, m["winnings"], 100_00, of_payer=True),
    ),
    "stake returned to another": (
        MISSING,
        lambda m: out_of_a_game(Kind.REFUND, Document.STAKES, m["deposit"]),
    ),
    "cash-out of a lost stake": (
        MISSING,
        lambda m: out_of_a_game(Kind.CASH_OUT, Document.STACK, m["deposit"], of_payer=True),
    ),
    "rake without a deal": (
        MISSING,
        lambda m: out_of_a_game(Kind.RAKE, Document.DEAL, operator("rake")),
    ),
    "entry without a stake": (MISSING, entry_without_a_stake),
    "entry into another game": (
        NOT_ALLOWED,
        lambda m: into_a_game(Kind.BUY_IN, Document.STAKE, m["deposit"], game="table:another"),
    ),
    "overlay of no game": (
        MISSING,
        lambda m: into_a_game(Kind.GRANT, Document.GUARANTEE, operator("guarantee")),
    ),
    "withdrawal that nobody requested": (
        MISSING,
        lambda m: pay(Kind.WITHDRAWAL, m["winnings"], m["withdrawal_hold"], Document.WITHDRAWAL),
    ),
    "withdrawal into another hold": (
        NOT_ALLOWED,
        lambda m: pay(Kind.WITHDRAWAL, m["winnings"], another_hold(), Document.WITHDRAWAL),
    ),
    "correction by nobody": (
        MISSING,
        lambda m: pay(Kind.ADJUSTMENT, operator("suspense"), m["winnings"], Document.ADJUSTMENT),
    ),
    "fee of no settlement": (
        MISSING,
        lambda m: pay(
            Kind.FEE,
            operator("gateway_fees"),
            operator("gateway_clearing"),
            Document.SETTLEMENT,
            document_id=1,
        ),
    ),
    "fee paid to a player": (
        NOT_ALLOWED,
        lambda m: pay(
            Kind.FEE, operator("gateway_clearing"), m["deposit"], Document.SETTLEMENT, document_id=1
        ),
    ),
    "tax without a calculation": (
        MISSING,
        lambda m: pay(Kind.TAX, m["winnings"], operator("tds_payable"), Document.WITHHOLDING),
    ),
    "kind that does not exist": (
        NOT_ALLOWED,
        lambda m: pay("gift", m["deposit"], operator("rake")),
    ),
    "reversal by hand": (NOT_ALLOWED, lambda m: pay("reversal", m["deposit"], operator("rake"))),
    "points without a document": (NOT_ALLOWED, lambda m: points(m, 10**9)),
    "welcome out of range": ("amount_above_limit", lambda m: points(m, 10**9, "sign_up")),
    "welcome above the limit": (MISSING, lambda m: points(m, 10_000_01, "sign_up")),
    "welcome of another player": (MISSING, lambda m: points(m, 5_00, "sign_up", of=1)),
    "second welcome": (MISSING, lambda m: points(m, 5_00, "sign_up", after=welcome)),
    "points of a bot": (MISSING, lambda m: points(m, 5_00, "bot")),
    "second refill of a day": (MISSING, lambda m: points(m, 5_00, "refill", after=refill)),
    "refill above the level": (MISSING, lambda m: points(m, 1, "refill", after=welcome)),
    "refill of points in a game": (
        MISSING,
        lambda m: points(m, 1, "refill", after=points_in_a_game),
    ),
}


def test_transfer_without_document_is_refused(strict, subtests):
    theirs = [fund(make_player(), deposit=100_00, winnings=50_00) for _ in ATTACKS]
    posts = [attack(mine) for (_, attack), mine in zip(ATTACKS.values(), theirs, strict=True)]
    before = books()
    strict()

    for post, mine, (name, (code, _)) in zip(posts, theirs, ATTACKS.items(), strict=True):
        held = balances(*mine.values())
        with subtests.test(name):
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
    named = rows(
        "SELECT unnest(gives) FROM wallet_policy UNION SELECT unnest(takes) FROM wallet_policy"
    )
    assert {kind for (kind,) in named} <= set(Account.Kind.values)
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


TAKEN_APART = re.compile(
    r"\bkey\.(partition|split|removeprefix|startswith)|\bkey__(startswith|contains|regex)"
    r"|Substr\(\s*\"\w*key\"|\bkey (LIKE|~)|split_part\([^)]*\bkey\b"
)


def test_no_code_parses_transfer_keys():
    sources = [
        path
        for app in ("wallet", "finance", "tables", "tournaments", "staff")
        for path in [*(CHECKOUT / app).rglob("*.py"), *(CHECKOUT / app).rglob("*.sql")]
        if "migrations" not in path.parts
    ]

    assert len(sources) > 300
    assert [str(path) for path in sources if TAKEN_APART.search(path.read_text())] == []
