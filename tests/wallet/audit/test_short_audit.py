"""A short audit examines only the rows since the last clean full audit."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import IntegrityError
from django.utils import timezone

from tests.builders.wallet.players import fund, make_player
from tests.builders.wallet.tax_office import undone, unguarded
from wallet.audit import seals, starts
from wallet.audit.audit import ONLY_NEW, QUESTIONS, row_findings, statement
from wallet.audit.freezes import check_books, check_new_rows
from wallet.audit.models import AuditRun, WithdrawalFreeze
from wallet.audit.starts import BEGINNING, last_clean_start
from wallet.ledger import posting
from wallet.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db(transaction=True)  # Seals are of transactions that have ended.


@pytest.fixture
def old_and_new(monkeypatch):
    """Two players with a deposit each, audited and sealed between the two, and after."""
    monkeypatch.setattr(starts, "OVERTAKEN_MAX", 0)
    old = fund(make_player(), deposit=10_00)["deposit"]
    seals.seal_ledger()
    assert check_books().is_clean
    new = fund(make_player(), deposit=20_00)["deposit"]
    seals.seal_ledger()
    return old, new


def tamper(sql, *values):
    with unguarded() as cursor:
        cursor.execute(sql, values)
        assert cursor.rowcount > 0


def found(start):
    return {(finding.check, finding.subject) for finding in row_findings(start=start)}


def test_short_audit_examines_the_rows_since_the_last_full_audit(old_and_new):
    report = check_new_rows()

    assert (report.kind, report.is_clean) == (AuditRun.Kind.SHORT, True)
    assert (report.transfers, report.entries) == (1, 2)
    run = AuditRun.objects.first()
    assert (run.kind, run.transfers) == (AuditRun.Kind.SHORT, 1)
    assert run.builds_on == AuditRun.objects.full().get()
    assert check_new_rows().transfers == 1
    check_books()
    assert check_new_rows().transfers == 0
    short = {"kind": AuditRun.Kind.SHORT, "differences": 0, "transfers": 0, "entries": 0}
    with pytest.raises(IntegrityError, match="wallet_auditrun_short_builds_on_one"):
        AuditRun.objects.create(**short, seconds=0.0)


@pytest.mark.parametrize("what", ["none", "old", "found something"])
def test_without_a_clean_and_fresh_full_one_it_looks_at_everything(what, old_and_new):
    with unguarded() as cursor:
        if what == "none":
            cursor.execute(
                "DELETE FROM wallet_auditedtable; DELETE FROM wallet_auditedbalance;"
                " DELETE FROM wallet_auditrun;"
                " DELETE FROM wallet_rowversion WHERE relation LIKE 'wallet_audit%'"
            )
        elif what == "old":
            cursor.execute(
                "UPDATE wallet_auditrun SET ran_at = %s",
                [timezone.now() - starts.BUILDS_ON_FOR - timedelta(seconds=1)],
            )
        else:
            cursor.execute("UPDATE wallet_auditrun SET differences = 1")

    assert last_clean_start() == BEGINNING
    assert check_new_rows().kind == AuditRun.Kind.FULL


def test_only_a_full_audit_finds_a_rewritten_old_entry(old_and_new):
    old, _ = old_and_new
    tamper("UPDATE wallet_transfer SET memo = 'x' WHERE id = %s", old.entries.get().transfer_id)

    assert found(last_clean_start()) == set()
    assert ("seal_broken", "seal 1") in found(BEGINNING)


def test_money_moved_between_old_balances_is_found_as_far_as_it_shows(old_and_new):
    """Between kinds at once; between accounts of one kind, when something is posted to one."""
    old, new = old_and_new
    other = fund(make_player(), deposit=5_00)["deposit"]
    seals.seal_ledger()
    assert check_books().is_clean
    suspense = Account.objects.filter(kind="gateway_clearing", currency="INR").get()
    start = last_clean_start()
    move = "UPDATE wallet_account SET balance_minor = balance_minor + %s WHERE id = %s"

    with undone():
        tamper(move, 1_00, old.pk)
        tamper(move, -1_00, suspense.pk)
        assert ("balance_carried", "accounts of kind deposit in INR") in found(start)
    with undone():
        tamper(move, 1_00, old.pk)
        tamper(move, -1_00, new.pk)
        assert found(start) == set()
        assert ("balance_drift", f"account {old.pk}") in found(BEGINNING)
        posting.post(
            key="after", kind=Transfer.Kind.ADJUSTMENT, entries=[(old, -1_00), (other, 1_00)]
        )
        assert ("balance_drift", f"account {old.pk}") in found(start)


def test_short_audit_requires_the_seal_it_builds_on(old_and_new):
    start = last_clean_start()
    assert start.seal_number == 1

    with undone():
        tamper("UPDATE wallet_seal SET hash = repeat('0', 64) WHERE number = 1")
        assert ("start_altered", "seal 1") in found(start)
    with undone():
        tamper("UPDATE wallet_auditedbalance SET balance_minor = balance_minor + 1")
        assert {check for check, _ in found(start)} >= {"balance_carried"}
    with undone():
        tamper("DELETE FROM wallet_rowversion WHERE relation = 'wallet_auditrun'")
        tamper("UPDATE wallet_auditrun SET seal_hash = repeat('0', 64)")
        assert ("start_altered", "seal 1") in found(start)


def test_a_row_written_past_its_triggers_is_new_by_its_key(old_and_new):
    start = last_clean_start()
    tamper(
        "INSERT INTO players_ownlimit"
        " (player_id, kind, period, currency, amount_minor, asked_at, applies_at)"
        " SELECT id, 'deposit', 'day', 'INR', 1, now(), now() FROM players_user LIMIT 1"
    )

    assert {check for check, _ in found(start)} == {"row_unrecorded"}


def test_a_difference_in_what_is_new_freezes_withdrawals(old_and_new):
    _, new = old_and_new
    tamper("UPDATE wallet_entry SET amount_minor = 1 WHERE account_id = %s", new.pk)
    said = StringIO()

    with pytest.raises(SystemExit) as end:
        call_command("audit_ledger", "--since-last-clean", "--json", stdout=said)

    assert end.value.code == 1
    report = json.loads(said.getvalue())
    assert (report["ok"], report["kind"], report["transfers"]) == (False, "short", 1)
    assert "running_balance" in WithdrawalFreeze.objects.active().get().findings
    assert AuditRun.objects.first().kind == AuditRun.Kind.SHORT


def test_a_late_commit_with_an_early_id_is_new(old_and_new):
    """Its id was given out before the full audit began, and it came in afterwards."""
    start = last_clean_start()
    with unguarded() as cursor:
        cursor.execute(
            "UPDATE wallet_auditrun SET next_transfer = next_transfer + 1 WHERE id = %s",
            [start.run],
        )

    assert last_clean_start().next_transfer == start.next_transfer


def test_full_and_short_audits_have_the_same_queries():
    for question in (*QUESTIONS, *settings.LEDGER_AUDIT_SQL):
        full = statement(question, BEGINNING).splitlines()
        short = statement(question, starts.Start(run=1)).splitlines()
        assert [line for line in short if not line.endswith(ONLY_NEW)] == full, question
        assert len(short) > len(full), f"{question} does not narrow anything"
