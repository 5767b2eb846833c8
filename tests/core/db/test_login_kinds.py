"""Statements that the login of one kind of process may not run."""

from contextlib import suppress

import psycopg
import pytest
from django.db import connection
from psycopg import errors

from tests.builders.processes.logins import KINDS, app_login, where

pytestmark = pytest.mark.django_db

# A statement, and the kinds of login that may not run it. None needs rows: rights come first.
REFUSED = {
    "INSERT INTO wallet_deposit (player_id) VALUES (0)": {"settle", "intake"},
    "UPDATE wallet_deposit SET transfer_id = 1": {"web", "intake"},
    "UPDATE wallet_gatewayevent SET outcome = 'credited'": {"web", "intake"},
    "INSERT INTO wallet_gatewaypayment (provider) VALUES ('sandbox')": {"web", "intake"},
    "UPDATE wallet_gatewaypayment SET amount_minor = 1": {"web", "intake"},
    "INSERT INTO wallet_paymentreturn (provider) VALUES ('sandbox')": {"web", "intake"},
    "INSERT INTO tables_move (text) VALUES ('ds')": {"settle", "intake"},
    "INSERT INTO tables_score (points) VALUES (1)": {"web", "intake"},
    "INSERT INTO tables_elimination (total) VALUES (1)": {"web", "intake"},
    "INSERT INTO tables_result (place) VALUES (1)": {"web", "intake"},
    "INSERT INTO tournaments_prize (place) VALUES (1)": {"web", "intake"},
    "INSERT INTO tournaments_outcome (place) VALUES (1)": {"web", "intake"},
    "INSERT INTO tournaments_leagueresult (points) VALUES (1)": {"web", "intake"},
    "UPDATE tournaments_standing SET points = 1": {"web", "intake"},
    "INSERT INTO wallet_stackchange (amount_minor) VALUES (1)": {"web", "intake"},
    "UPDATE wallet_stakepart SET consumed_minor = 1": {"web", "intake"},
    "UPDATE players_notification SET mail = 'sent'": {"web", "intake"},
    "UPDATE players_accountchange SET unsent = '{}'": {"web", "intake"},
    "INSERT INTO tables_seat (table_id) VALUES (1)": {"intake"},
    "INSERT INTO wallet_adjustment (amount_minor) VALUES (1)": {"intake"},
    "INSERT INTO core_auditentry (act) VALUES ('approve')": {"intake"},
    "SELECT email FROM players_user": {"intake"},
    "SELECT * FROM players_remark": {"intake"},
    "SELECT * FROM wallet_deposit": {"intake"},
    "SELECT * FROM wallet_entry": {"intake"},
    "INSERT INTO wallet_transfer (key) VALUES ('forged')": {"web", "settle", "intake"},
    "INSERT INTO wallet_rowversion (relation) VALUES ('forged')": {"web", "settle", "intake"},
    "SET ROLE rummy_app": {"web", "settle", "intake"},
}
EVENT = """
    INSERT INTO wallet_gatewayevent (provider, event_reference, kind, order_reference,
        payment_reference, case_reference, currency, amount_minor, fee_minor, tax_minor, outcome,
        body, headers, source, received_at)
    VALUES ('sandbox', %s, %s, '', 'pay_1', 'case_1', 'INR', 100, 0, 0, 'received', '{}', '{}', %s,
        now())
"""
POST = """
    SELECT ledger_post('forged', %s, ARRAY[1, 2]::bigint[], ARRAY[-5, 5]::bigint[],
        ARRAY[NULL, NULL]::text[], '{}', '', '', NULL, gen_random_uuid(), %s, 1, '', NULL)
"""
# The kind and source of an event, and the kind of login that may keep it.
KEEPERS = {
    ("paid", "signed"): "intake",
    ("failed", "signed"): "intake",
    ("dispute_lost", "signed"): "intake",
    ("refund_done", "file"): "web",
    ("dispute_open", "staff"): "web",
}
SETTLEMENTS = [
    ("deposit", "order"),
    ("deposit", "payment"),
    ("chargeback", "payment_return"),
    ("prize", "game"),
    ("refund", "game"),
    ("rake", "deal"),
    ("release", "stake"),
]


@pytest.fixture(scope="module", params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def session(kind, django_db_setup, django_db_blocker):
    """A connection of a login of this kind, which commits nothing."""
    with (
        django_db_blocker.unblock(),
        app_login(kind) as login,
        psycopg.connect(**where(user=login), autocommit=True) as session,
    ):
        yield session


def is_denied(session, statement, values=()):
    """Return whether the login lacks the right for a statement, which is undone if it succeeds."""
    try:
        with session.transaction(force_rollback=True):
            session.execute(statement, values)
    except errors.InsufficientPrivilege:
        return True
    return False


def test_each_login_is_refused_what_other_kinds_of_processes_do(kind, session):
    denied = set()
    for statement in REFUSED:
        # A statement may fail for want of rows: what counts is that the right does not stop it.
        with suppress(errors.IntegrityError, errors.RaiseException):
            denied |= {statement} if is_denied(session, statement) else set()

    assert denied == {statement for statement, kinds in REFUSED.items() if kind in kinds}


def test_every_kind_is_refused_several_statements():
    refused = {kind: [one for one, kinds in REFUSED.items() if kind in kinds] for kind in KINDS}

    assert len(refused["web"]) > 10
    assert len(refused["settle"]) > 3
    assert len(refused["intake"]) > 15


def test_signed_events_are_kept_by_the_intake_and_others_by_pages(kind, session):
    denied = {event: is_denied(session, EVENT, ["evt_1", *event]) for event in KEEPERS}

    assert denied == {event: kind != keeper for event, keeper in KEEPERS.items()}


def test_only_settlement_posts_settlements(kind, session):
    for posted in SETTLEMENTS:
        refusal = errors.DatabaseError if kind == "settle" else errors.InsufficientPrivilege
        with pytest.raises(refusal) as refused:
            session.execute(POST, posted)
        assert isinstance(refused.value, errors.InsufficientPrivilege) == (kind != "settle"), posted


def test_pages_post_stakes_and_what_staff_decide(session, kind):
    """They get past the rights, to the accounts, which do not exist."""
    for transfer_kind, document in [("buy_in", "stake"), ("adjustment", "adjustment")]:
        refusal = errors.InsufficientPrivilege if kind == "intake" else errors.DatabaseError
        with pytest.raises(refusal) as refused:
            session.execute(POST, [transfer_kind, document])
        assert isinstance(refused.value, errors.InsufficientPrivilege) == (kind == "intake")


def test_a_login_of_all_kinds_passes_as_every_kind():
    with (
        app_login("web", member_of="rummy_app") as login,
        psycopg.connect(**where(user=login), autocommit=True) as session,
    ):
        asked = [session.execute("SELECT core_is_login_of(%s)", [kind]) for kind in KINDS]
        answers = [cursor.fetchone() for cursor in asked]

    assert answers == [(True,), (True,), (True,)]


HELD = """
    SELECT c.relname, p.name FROM pg_class AS c
    CROSS JOIN (VALUES ('SELECT'), ('INSERT'), ('UPDATE')) AS p (name)
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
        AND NOT c.relispartition AND has_any_column_privilege(%s, c.oid, p.name)
"""


def test_every_right_of_the_application_belongs_to_some_kind():
    """A right that no kind has would be one that no process could use."""
    held = {}
    with connection.cursor() as cursor:
        for role in ("rummy_app", *(f"rummy_app_{kind}" for kind in KINDS)):
            cursor.execute(HELD, [role])
            held[role] = set(cursor.fetchall())
    of_all = held.pop("rummy_app")

    assert len(of_all) > 300
    assert set.union(*held.values()) == of_all
