"""Tamperings by a process with one of the application's logins are refused, or reported.

Each row of the catalogue is tried with the guards on, as a login of each kind of process and as one
of all kinds, by the nightly audit of all and by the quarter-hour one of what is new.
"""

from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection, transaction

from tests.builders.books import tamperings
from tests.builders.books.audit_starts import start_before
from tests.builders.books.sample_books import make_sample_books
from tests.builders.processes.logins import APP_ROLE, KINDS, app_login, as_owner, where
from tests.builders.tables.played_games import points, rejoined_pool, running_duel, split_pool
from tests.builders.tournaments.played_contests import (
    in_round_one,
    in_the_final,
    satellite,
    two_rounds,
)
from wallet.audit import seals
from wallet.audit.audit import check_findings, row_findings
from wallet.audit.starts import BEGINNING

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(900), pytest.mark.extended]

CATALOGUE = Path(__file__).parents[2] / "builders/books/login_tamperings.txt"
# No right, a constraint, or a refusal of a guard of this schema; anything else is a faulty row.
REFUSALS = ("42501", "23", "RL")
ALL_KINDS = "all"
# Single rows that a login may change without a difference, because its work is to.
PERMITTED = {
    # A player cancels an order; if it is paid all the same, it is credited.
    "an open order called cancelled",
    # Content is deleted when this time has come; nothing about the person follows from it.
    "when a document is deleted",
}


class Tampering(NamedTuple):
    name: str
    which: str
    statement: str
    check: str


def read():
    lines = [each for each in CATALOGUE.read_text().splitlines() if each and each[0] != "#"]
    for line in lines:
        name, both, check = line.split(" | ")
        which, _, statement = both.partition(" -> ")
        yield Tampering(name, which, statement, check)


ALL = list(read())


@pytest.fixture(scope="module")
def scene(django_db_setup, django_db_blocker):
    """Sample books with running games and tournaments; and logins."""
    with django_db_blocker.unblock(), ExitStack() as logins:
        try:
            make_sample_books()
            keys = {
                "duel": running_duel().pk,
                "pool": rejoined_pool().pk,
                "points": points().pk,
                "split": split_pool().pk,
                "early": in_round_one().pk,
                "late": in_the_final().pk,
                "over": two_rounds().pk,
                "satellite": satellite().pk,
            }
            seals.seal_ledger()
            names = {kind: logins.enter_context(app_login(kind)) for kind in KINDS}
            names[ALL_KINDS] = logins.enter_context(app_login(ALL_KINDS, member_of=APP_ROLE))
            yield SimpleNamespace(keys=keys, logins=names, before=named(BEGINNING))
        finally:
            call_command("flush", verbosity=0, interactive=False)


def named(start):
    found, _ = check_findings(start=start)
    return {(each.check, each.subject) for each in (*row_findings(start=start), *found)}


def refusal_of(statements, login):
    """Try the statements on a connection of the login's; return why they are refused, or ""."""
    with psycopg.connect(**where(user=login)) as real:
        try:
            for statement in statements:
                assert real.execute(statement).rowcount > 0, f"changed nothing: {statement}"
            real.execute("SET CONSTRAINTS ALL IMMEDIATE")
        except psycopg.Error as refusal:
            if not (refusal.sqlstate or "").startswith(REFUSALS):
                raise
            return str(refusal)
        finally:
            real.rollback()
    return ""


def named_after(statements, login, before):
    """Return what the audits name once the login has executed the statements; all is undone."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("RESET ROLE")
            cursor.execute(f"SET ROLE {login}")
            for statement in statements:
                cursor.execute(statement)
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("RESET ROLE")
            cursor.execute(f"SET ROLE {APP_ROLE}")
            cursor.execute("SELECT pg_current_xact_id()::text::bigint")
            [xid] = cursor.fetchone()
        found = {"full": named(BEGINNING) - before, "short": named(start_before(xid)) - before}
        transaction.set_rollback(True)
    return found


def try_it(tampering, scene, login):
    """Return why it is refused, or what the two audits name."""
    with connection.cursor() as cursor:
        cursor.execute(tampering.which.format(**scene.keys))
        key = cursor.fetchone()[0]
    assert key is not None, "nothing to tamper with"
    texts = tampering.statement.split("; ")
    statements = [text.format(one=key, **scene.keys) for text in texts]
    refused = refusal_of(statements, login)
    return refused or named_after(statements, login, scene.before)


@pytest.mark.parametrize("tampering", ALL, ids=lambda tampering: tampering.name)
def test_tampering_by_each_login_is_refused_or_named(scene, tampering):
    came_to = Counter()

    for kind, login in scene.logins.items():
        outcome = try_it(tampering, scene, login)
        if isinstance(outcome, str):
            came_to["refused"] += 1
            continue
        for audit, found in outcome.items():
            assert tampering.check in {check for check, _ in found}, (kind, audit, found)
        came_to["named"] += 1

    assert came_to.total() == len(KINDS) + 1


@pytest.mark.parametrize("kind", [*KINDS, ALL_KINDS])
def test_single_rows_changed_by_a_login_are_refused_or_named(scene, kind):
    """The rows that the audit names when triggers are off, here with all guards on."""
    login, came_to, missed = scene.logins[kind], Counter(), set()

    for tampering in tamperings.read():
        with as_owner(), connection.cursor() as cursor:
            statement = tampering.statement(cursor)
        if refusal_of([statement], login):
            came_to["refused"] += 1
        elif all(named_after([statement], login, scene.before).values()):
            came_to["named"] += 1
        else:
            missed.add(tampering.name)

    assert missed == (set() if kind == "intake" else PERMITTED)
    assert came_to["refused"] >= 200
    assert came_to["named"] == 0 if kind == "intake" else came_to["named"] >= 4


def test_logins_of_pages_and_settlement_may_write_what_their_work_needs(scene):
    duel = scene.keys["duel"]
    allowed = [f"UPDATE tables_table SET version = version + 1 WHERE id = {duel}"]

    refused = {kind: refusal_of(allowed, login) for kind, login in scene.logins.items()}

    assert [kind for kind, why in refused.items() if not why] == ["web", "settle", ALL_KINDS]
    assert refused["intake"].startswith("permission denied")


def test_books_are_clean_before_anybody_tampers(scene):
    assert scene.before == set()


def test_catalogue_is_long_and_its_names_are_unique():
    assert len(ALL) >= 55
    assert len({tampering.name for tampering in ALL}) == len(ALL)
