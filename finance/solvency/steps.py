"""Store the tree of a day's balances with its close, and prove one of its leaves."""

from __future__ import annotations

import secrets
from collections import defaultdict
from typing import Final

from django.db import connection
from django.db.models import Sum

from finance.exceptions import BooksDiffer
from finance.reports.definitions.liabilities import OWED
from finance.reports.frame.models import DailyClose
from finance.solvency import tree
from finance.solvency.models import BalanceTree, BalanceTreePart
from finance.solvency.tree import Leaf, Node
from wallet.ledger.models import Entry
from wallet.stakes.models import Stake

FETCHED: Final = 10_000
PART_LEAVES: Final = 1_024
# One statement, because balances and later entries must be of the same moment. A player's accounts
# are one leaf, a game's escrow another.
BALANCES: Final = """
    SELECT currency, holder, sum(minor)::bigint FROM (
        SELECT a.currency, coalesce(p.public_id::text, a.ref) AS holder, a.balance_minor AS minor
        FROM wallet_account a LEFT JOIN players_user p ON p.id = a.player_id
        WHERE a.kind = ANY (%(kinds)s) AND a.balance_minor <> 0
        UNION ALL
        SELECT a.currency, coalesce(p.public_id::text, a.ref), -e.amount_minor
        FROM wallet_entry e JOIN wallet_account a ON a.id = e.account_id
            LEFT JOIN players_user p ON p.id = a.player_id
        WHERE e.booked_on > %(day)s AND a.kind = ANY (%(kinds)s)
    ) AS moved
    GROUP BY 1, 2 HAVING sum(minor) <> 0
"""


def store_trees(close: DailyClose) -> None:
    """Store a tree for each currency; raise `BooksDiffer` if a total is not the liability."""
    totals = close.totals.filter(account_kind__in=OWED).values_list("currency")
    owed = {code: int(minor) for code, minor in totals.annotate(Sum("closing_minor")) if minor}
    found: dict[str, list[Node]] = defaultdict(list)
    keys = {code: secrets.token_bytes(32) for code in owed}
    with connection.chunked_cursor() as cursor:
        cursor.execute(BALANCES, {"kinds": list(OWED), "day": close.day})
        while rows := cursor.fetchmany(FETCHED):
            for currency, holder, minor in rows:
                if currency not in owed or minor < 0:
                    raise BooksDiffer(f"{close.day}: {holder} is owed {minor} in {currency}")
                nonce = tree.nonce_of(keys[currency], holder)
                found[currency].append(Leaf(close.day, currency, holder, nonce, minor).node())
    for currency, minor in owed.items():
        _store(close, currency, keys[currency], tree.padded(found[currency]), minor)


def _store(
    close: DailyClose, currency: str, secret: bytes, leaves: list[Node], owed_minor: int
) -> None:
    parts = [leaves[at : at + PART_LEAVES] for at in range(0, len(leaves), PART_LEAVES)]
    tops = [tree.root_of(part) for part in parts]
    root = tree.root_of(tops)
    if root.sum != owed_minor:
        raise BooksDiffer(f"{close.day}: balances of {root.sum} in {currency}, not {owed_minor}")
    made = BalanceTree.objects.create(
        close=close,
        currency=currency,
        total_minor=root.sum,
        root=root.hash.hex(),
        secret=secret,
        tops=tree.packed(tops),
    )
    BalanceTreePart.objects.bulk_create(
        (
            BalanceTreePart(tree=made, no=no, first=part[0].hash, leaves=tree.packed(part))
            for no, part in enumerate(parts)
        ),
        batch_size=100,
    )


def proof_of(of_day: BalanceTree, holder: str) -> str | None:
    """Return the proof of a holder's balance on the tree's day, or None if it was 0.

    `holder` is a player's public id or the `ref` of a game's escrow. The balance is summed from the
    ledger again.
    """
    field = "account__ref" if ":" in holder else "account__player__public_id"
    entries = Entry.objects.filter(
        **{field: holder},
        account__kind__in=OWED,
        currency=of_day.currency,
        transfer__booked_on__lte=of_day.close_id,
    )
    minor = entries.aggregate(minor=Sum("amount_minor", default=0))["minor"]
    nonce = tree.nonce_of(bytes(of_day.secret), holder)
    leaf = Leaf(of_day.close_id, of_day.currency, holder, nonce, int(minor))
    node = leaf.node()
    part = of_day.parts.filter(first__lte=node.hash).order_by("first").last()
    leaves = tree.unpacked(bytes(part.leaves)) if part else []
    if part is None or node not in leaves:
        return None
    tops = tree.unpacked(bytes(of_day.tops))
    path = [*tree.path_of(leaves, leaves.index(node)), *tree.path_of(tops, part.no)]
    return tree.proof_text(leaf, path, Node(bytes.fromhex(of_day.root), of_day.total_minor))


def games_with_stakes(player_id: int, of_day: BalanceTree) -> list[str]:
    """Return the games in whose escrow the player had a stake when the day ended."""
    paid = Stake.objects.filter(
        player=player_id,
        escrow__currency=of_day.currency,
        transfer__booked_on__lte=of_day.close_id,
    )
    still = Entry.objects.filter(account__in=paid.values("escrow"))
    held = still.filter(transfer__booked_on__lte=of_day.close_id).values_list("account__ref")
    sums = held.order_by("account__ref").annotate(minor=Sum("amount_minor"))
    return [ref for ref, minor in sums if minor]
