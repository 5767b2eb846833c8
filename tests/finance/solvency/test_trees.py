"""Trees of balances: totals, proofs, and tampered trees and proofs, which are refused."""

import random
import runpy
import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from django.db import DatabaseError, connection, transaction
from django.urls import reverse

from finance.books.published import pseudonym
from finance.closing import actions as closing
from finance.exceptions import BooksDiffer
from finance.solvency import steps, tree
from finance.solvency.models import BalanceTree
from tables.seats import seating
from tests.builders.books.full_books import a_day_passes, keep_busy, play_pool
from tests.builders.processes.logins import as_owner
from tests.builders.tables.making import make_table
from tests.builders.tables.pools import make_rich_player
from tests.builders.wallet.players import fund, make_player
from tests.builders.wallet.tax_office import unguarded
from wallet.ledger.models import Account

SCRIPT = runpy.run_path("docs/examples/check_balance.py")
check = SCRIPT["check"]
DAY = date(2026, 11, 27)
TAMPERED = 10_000


def make_leaves(number, chance):
    return [
        tree.Leaf(DAY, "INR", f"table:{no}", chance.randbytes(16).hex(), chance.randrange(10**7))
        for no in range(number)
    ]


def proof_in(nodes, leaf):
    index = nodes.index(leaf.node())
    return tree.proof_text(leaf, tree.path_of(nodes, index), tree.root_of(nodes))


FIELDS = ("format", "day", "currency", "holder", "nonce", "balance", "root")
CHANGES = ("total", "side", "hash", "sum", "sign", "dropped", "added", "swapped", "reversed")
# What replaces a line; of the others a digit is changed.
OTHERS = {"day": "2026-11-28", "currency": "USD", "format": "rummy balance 2"}


def altered(text, chance):
    """Return a proof with one change, in a line chosen at random."""
    lines = text.splitlines()
    fields, path = lines[: len(FIELDS)], lines[len(FIELDS) :]
    step = chance.randrange(len(path))
    side, hashed, minor = path[step].split()
    name = chance.choice([*FIELDS, *CHANGES])
    match name:
        case "side":
            path[step] = f"{'left' if side == 'right' else 'right'} {hashed} {minor}"
        case "hash":
            path[step] = f"{side} {chance.randbytes(32).hex()} {minor}"
        case "sum":
            path[step] = f"{side} {hashed} {int(minor) + chance.randint(1, 9)}"
        case "sign":
            path[step] = f"{side} {hashed} -{int(minor) + 1}"
        case "dropped":
            del path[step]
        case "added":
            path.insert(step, f"{side} {chance.randbytes(32).hex()} 0")
        case "swapped":
            path.insert(step, path.pop(step - 1))
        case "reversed":
            path.reverse()
        case "total":
            fields[-1] = f"{fields[-1].rpartition(' ')[0]} {chance.randrange(10**9)}"
        case "format" | "day" | "currency":
            fields[FIELDS.index(name)] = OTHERS[name]
        case _:
            at = FIELDS.index(name)
            digit = chance.choice([no for no, one in enumerate(fields[at]) if one.isdigit()])
            other = str((int(fields[at][digit]) + chance.randint(1, 9)) % 10)
            fields[at] = f"{fields[at][:digit]}{other}{fields[at][digit + 1 :]}"
    return name, "".join(f"{line}\n" for line in (*fields, *path))


def test_ten_thousand_tampered_proofs_and_trees_are_refused():
    chance = random.Random(42)
    leaves = make_leaves(37, chance)
    nodes = tree.padded(leaf.node() for leaf in leaves)
    root = tree.root_of(nodes)
    texts = [proof_in(nodes, leaf) for leaf in leaves]
    assert all(check(text, root.hash.hex(), root.sum) for text in texts)

    refused = Counter()
    while sum(refused.values()) < TAMPERED // 2:
        text = chance.choice(texts)
        name, lie = altered(text, chance)
        if lie == text:
            continue
        with pytest.raises(ValueError, match=r"\w"):
            check(lie, root.hash.hex(), root.sum)
        refused[name] += 1
    while sum(refused.values()) < TAMPERED:
        # The operator leaves out a part of a balance, and builds the rest of the tree again.
        leaf = chance.choice(leaves)
        less = leaf._replace(balance_minor=chance.randrange(leaf.balance_minor))
        lies = [node if node != leaf.node() else less.node() for node in nodes]
        at = nodes.index(leaf.node())
        lie = tree.proof_text(leaf, tree.path_of(lies, at), tree.root_of(lies))
        with pytest.raises(ValueError, match="not part of"):
            check(lie)
        refused["tree"] += 1

    sys.stdout.write(f"{sum(refused.values())} tampered trees and proofs refused\n")
    assert len(refused) == 17


LEAF = tree.Leaf(DAY, "INR", "table:1", "0" * 32, 5_00)


def proof_of_one(leaf):
    return proof_in([leaf.node()], leaf)


GOOD = proof_of_one(LEAF)


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace("table:1\n", "table:1\ntable:2\n"),
        GOOD.replace("table:1", "table:1\v"),
        GOOD.replace("500", "0500"),
        GOOD.replace("500", "5e2"),
        GOOD.replace("500", "٥00"),
        GOOD.replace("root", "left"),
        GOOD * 2,
        "",
        # Both could be read as the leaf of a second holder.
        proof_of_one(LEAF._replace(holder="table:1\ntable:2")),
        proof_of_one(LEAF._replace(nonce="0\n1")),
    ],
    ids=[
        "another line",
        "control character",
        "leading zero",
        "exponent",
        "other digits",
        "no root",
        "twice",
        "empty",
        "two holders",
        "two nonces",
    ],
)
def test_proof_with_a_second_meaning_is_refused(text):
    check(GOOD)
    with pytest.raises(ValueError, match=r"\w"):
        check(text)


@pytest.mark.parametrize(
    ("arguments", "code", "printed"),
    [
        ([], 2, "ROOT"),
        (["missing.txt"], 2, "cannot be read"),
        (["proof.txt"], 0, "5.00 of 5.00 INR"),
        (["proof.txt", LEAF.node().hash.hex(), "₹5.00"], 0, "Correct"),
        (["proof.txt", LEAF.node().hash.hex(), "500"], 1, "another root or total"),
        (["proof.txt", "", "five"], 1, "not an amount"),
    ],
)
def test_script_checks_a_file_by_what_the_page_shows(tmp_path, arguments, code, printed):
    (tmp_path / "proof.txt").write_text(GOOD)
    script = Path("docs/examples/check_balance.py").absolute()

    ended = subprocess.run(
        [sys.executable, script, *arguments],
        capture_output=True,
        cwd=tmp_path,
        text=True,
        check=False,
    )

    assert (ended.returncode, ended.stderr) == (code, "")
    assert printed in ended.stdout


def test_proof_among_a_million_balances_is_less_than_two_kilobytes():
    leaf = tree.Leaf(DAY, "INR", "0199f0a0-0000-7000-8000-000000000000", "0" * 32, 10**9)
    node = tree.Node(bytes(32), 10**12)

    text = tree.proof_text(leaf, [f"right {node}"] * 20, node)

    assert len(text) < 2_000


@pytest.mark.parametrize("number", [1, 2, 3, 5, 8, 2_050])
def test_every_number_of_balances_makes_a_tree(number):
    leaves = make_leaves(number, random.Random(number))
    nodes = tree.padded(leaf.node() for leaf in leaves)

    assert len(nodes) & (len(nodes) - 1) == 0
    assert tree.root_of(nodes).sum == sum(leaf.balance_minor for leaf in leaves)
    assert tree.unpacked(tree.packed(nodes)) == nodes
    for leaf in leaves[:20]:
        check(proof_in(nodes, leaf))
    with pytest.raises(ValueError, match="negative"):
        leaves[0]._replace(balance_minor=-1).node()


@pytest.fixture
def closed(transactional_db, monkeypatch):
    """A closed day with money of every kind, part of it in a game; small parts of trees."""
    monkeypatch.setattr(steps, "PART_LEAVES", 4)
    keep_busy()
    waiting = make_table(entry_minor=50_00)
    player = make_rich_player(100_00)
    seating.join(table_id=waiting.pk, player=player)
    a_day_passes()
    [*_, close] = closing.close_days()
    return close, player, waiting


def test_totals_are_the_liability_and_every_balance_is_proved(closed, client, desk):
    close, player, waiting = closed
    trees = list(close.balance_trees.all())
    liability = desk.page("player-liability", to=close.day)["totals"]
    assert {one.currency: one.total_minor for one in trees} == {
        currency: totals["owed_minor"] for currency, totals in liability.items()
    }
    fund(player, deposit=1_00)
    play_pool()

    proofs = [
        check(text, one.root, one.total_minor)
        for one in trees
        for holder in holders()
        if (text := steps.proof_of(one, holder))
    ]

    for one in trees:
        mine = [proof for proof in proofs if proof["currency"] == one.currency]
        assert sum(int(proof["balance"]) for proof in mine) == one.total_minor
    assert len(proofs) == 15
    client.force_login(player)
    tree_of_cash = next(one for one in trees if one.currency == waiting.currency)
    address = reverse("balance-proof", args=[tree_of_cash.pk])
    game = waiting.escrow_account.ref
    own = b"".join(client.get(address)).decode()
    of_the_game = b"".join(client.get(address, {"game": game})).decode()
    assert check(own, tree_of_cash.root)["balance"] == "995000"
    assert check(of_the_game)["holder"] == game
    page = client.get(reverse("solvency")).content.decode()
    assert tree_of_cash.root in page
    assert f"{address}?game=table%3A" in page
    assert pseudonym(player.public_id, close.day) in page
    client.force_login(make_player())
    assert client.get(address, {"game": game}).status_code == 404
    assert client.get(address, follow=True).redirect_chain == [(reverse("solvency"), 302)]
    client.logout()
    for day in ("", "x", close.day.isoformat(), "2001-01-01"):
        shown = client.get(reverse("solvency"), {"day": day}).content.decode()
        assert (tree_of_cash.root in shown) == (day != "2001-01-01"), day
    assert client.get(address).status_code == 302


def test_newest_day_comes_first():
    """Days are closed newest first in their own order, which `-close` would reverse."""
    assert 'ORDER BY "finance_balancetree"."close_id" DESC' in str(BalanceTree.objects.all().query)


def holders():
    owed = Account.objects.filter(kind__in=steps.OWED)
    of_players = owed.exclude(player=None).values_list("player__public_id", flat=True)
    return {*map(str, of_players), *owed.filter(player=None).values_list("ref", flat=True)}


@pytest.mark.django_db(transaction=True)
def test_day_is_not_closed_while_a_balance_differs_from_its_entries():
    mine = fund(make_player(), deposit=100_00)["deposit"]
    a_day_passes()
    with unguarded() as cursor:
        cursor.execute("UPDATE wallet_account SET balance_minor = 1 WHERE id = %s", [mine.pk])

    with pytest.raises(BooksDiffer, match="balances of 1 in"):
        closing.close_days()

    assert not BalanceTree.objects.exists()


def execute(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)


def test_published_tree_cannot_be_changed(closed):
    for statement in (
        "UPDATE finance_balancetree SET root = ''",
        "DELETE FROM finance_balancetreepart",
    ):
        with pytest.raises(DatabaseError, match="append-only"), as_owner(), transaction.atomic():
            execute(statement)
