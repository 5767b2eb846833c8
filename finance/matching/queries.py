"""Stored statements: their lines, and how their balances continue those of other statements."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import starmap
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from finance.matching.matches import BankRow, Naming
from finance.matching.models import BankLine, BankStatement
from wallet.ledger.money import as_money, as_text

CHUNK = 5_000
# A look-up in the index for each name. `may_repeat`: the line is on a day of the statement and of
# an account that may be its own, so that it may be one of its lines; two accounts are known to
# differ by the end of their numbers or by their keys.
NAMING = """
    SELECT DISTINCT line.statement_id, line.number, line.day, line.amount_minor, line."references",
        line.text, line.valued_on,
        other.id <> %(statement)s AND line.day BETWEEN %(first)s AND %(last)s
            AND (%(account)s = '' OR other.account IN ('', %(account)s))
            AND (%(key)s = '' OR other.account_key IN ('', %(key)s)) AS may_repeat
    FROM unnest(%(names)s::text[]) AS name,
        LATERAL (
            SELECT * FROM finance_bankline AS one
            WHERE one."references" @> ARRAY[name]
                AND (%(with_own)s OR one.statement_id <> %(statement)s)
        ) AS line
        JOIN finance_bankstatement AS other ON other.id = line.statement_id
    WHERE other.currency = %(currency)s
    ORDER BY 3, 1, 2
"""
COLUMNS = ("statement_id", "number", "day", "amount_minor", "references", "text", "valued_on")


def bank_rows(lines: QuerySet[BankLine]) -> Iterator[BankRow]:
    """Yield stored lines as they are matched, in chunks."""
    return starmap(BankRow, lines.values_list(*COLUMNS).iterator(chunk_size=CHUNK))


def naming(statement: BankStatement) -> Naming:
    """Return a function that finds the lines with one of these references."""
    facts: dict[str, Any] = {
        "statement": statement.pk,
        "currency": statement.currency,
        "account": statement.account,
        "key": statement.account_key,
        "first": statement.first_day,
        "last": statement.last_day,
    }

    def lines_naming(names: Collection[str], *, with_own: bool) -> list[BankRow]:
        if not names:
            return []
        with connection.cursor() as cursor:
            cursor.execute(NAMING, {**facts, "names": list(names), "with_own": with_own})
            return list(starmap(BankRow, cursor.fetchall()))

    return lines_naming


def breaks_with_others(statement: BankStatement) -> Iterator[str]:
    """Yield a sentence for each neighbour that this statement does not continue, with figures."""
    others = BankStatement.objects.filter(
        account=statement.account, currency=statement.currency
    ).exclude(pk=statement.pk)
    if statement.account_key:
        others = others.filter(account_key__in=("", statement.account_key))
    days = (statement.first_day, statement.last_day)
    for other in others.filter(first_day__lte=days[1], last_day__gte=days[0]).order_by("pk")[:5]:
        yield f"{other} covers some of the same days; their lines count once."
    if not statement.account:
        return
    before = others.filter(last_day__lt=days[0]).order_by("last_day", "pk").last()
    after = others.filter(first_day__gt=days[1]).order_by("first_day", "pk").first()
    for one, next_one in ((before, statement), (statement, after)):
        if one is None or next_one is None or None in (one.closing_minor, next_one.opening_minor):
            continue
        if one.closing_minor != next_one.opening_minor:
            closing, opening = (
                as_text(as_money(minor or 0, statement.currency))
                for minor in (one.closing_minor, next_one.opening_minor)
            )
            yield (
                f"{one} closes with {closing} on {one.last_day}, but {next_one} opens with "
                f"{opening} on {next_one.first_day}: upload the statements between them."
            )
