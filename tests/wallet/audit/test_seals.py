"""Seals chain every finished transfer once and refuse forged ones; a stop of sealing is noticed."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from staff.monitoring.metrics import SiteCollector
from tests.amounts import first
from tests.builders.processes.threads import at_once
from tests.builders.wallet.players import fund, make_escrow, make_player, make_stake
from tests.builders.wallet.slow_posting import posted_slowly
from tests.builders.wallet.tax_office import unguarded
from wallet.audit import seals
from wallet.audit.audit import audit
from wallet.audit.models import RowVersion, Seal
from wallet.deposits.models import StaffTask
from wallet.exceptions import SealRefused, SealsMissing
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.stakes import stakes
from wallet.tasks import check_books, seal_ledger

pytestmark = pytest.mark.django_db(transaction=True)


def test_each_seal_covers_the_transfers_since_the_previous_seal():
    fund(make_player(), deposit=1_00, winnings=2_00)
    [first] = seals.seal_ledger()
    assert seals.seal_ledger() == []
    fund(make_player(), deposit=3_00)
    [second] = seals.seal_ledger()

    assert (first.number, first.from_xid, first.previous, first.transfer_count) == (1, 0, "", 2)
    assert (second.number, second.from_xid, second.transfer_count) == (2, first.to_xid, 1)
    assert second.previous == first.hash
    assert len(second.hash) == 64
    assert audit().is_clean


def test_a_long_absence_is_sealed_in_blocks(monkeypatch):
    seals.seal_ledger()  # Versions fill blocks too: those of rates and policies lie before.
    monkeypatch.setattr(seals, "TRANSFERS_MAX", 2)
    for _ in range(5):
        fund(make_player(), deposit=1_00)

    made = seals.seal_ledger()

    assert [seal.transfer_count for seal in made] == [2, 2, 1]
    assert audit().is_clean


def test_late_commit_is_sealed_in_the_next_block():
    """Its ids are lower than those already sealed; a chain ordered by ids would skip it."""
    slow, fast = fund(make_player(), winnings=5), fund(make_player())
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")
    gateway = accounts.operator_account(kind=Account.Kind.GATEWAY_CLEARING, currency="INR")
    with posted_slowly(suspense, slow["deposit"], key="slow"):
        for number in range(3):
            entries = [(gateway, -2), (fast["deposit"], 2)]
            posting.post(key=f"fast:{number}", kind=Transfer.Kind.DEPOSIT, entries=entries)
        [meanwhile] = seals.seal_ledger()
    [afterwards] = seals.seal_ledger()

    late = Transfer.objects.get(key="slow")
    assert late.pk < Transfer.objects.get(key="fast:0").pk
    assert meanwhile.to_xid <= late.xid
    assert afterwards.from_xid <= late.xid < afterwards.to_xid
    assert (meanwhile.transfer_count, afterwards.transfer_count) == (1, 4)
    assert audit().is_clean


def test_hung_sealer_blocks_no_process_and_no_login_can_block_sealing():
    """Two sessions of the application: one seals and hangs, or takes every lock it can."""
    fund(make_player(), deposit=1_00)
    hold = "SELECT pg_advisory_lock(5211, 2); LOCK TABLE wallet_seal IN ACCESS SHARE MODE"
    modes = ("ROW SHARE", "ROW EXCLUSIVE", "SHARE ROW EXCLUSIVE", "ACCESS EXCLUSIVE")

    with transaction.atomic():
        seals.seal_ledger()
        [meanwhile] = at_once([seals.seal_ledger])
        transaction.set_rollback(True)
    with transaction.atomic(), connection.cursor() as cursor:
        for mode in modes:
            with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
                cursor.execute(f"LOCK TABLE wallet_seal IN {mode} MODE")
        cursor.execute(hold)
        [afterwards] = at_once([seals.seal_ledger])
        cursor.execute("SELECT pg_advisory_unlock(5211, 2)")

    assert (meanwhile, [seal.number for seal in afterwards]) == ([], [1])


def test_day_has_a_head_to_print():
    fund(make_player(), deposit=1_00)
    said = StringIO()
    seal_ledger()  # The worker's task.
    check_books()

    call_command("seal_ledger", stdout=said)
    call_command("seal_ledger", "--head", stdout=said)

    head = Seal.objects.earliest("number")
    *_, printed = said.getvalue().splitlines()
    assert (head.transfer_count, head.entry_count) == (1, 2)
    assert printed == str(Seal.objects.latest("number"))
    with pytest.raises(CommandError, match="no seal"):
        call_command("seal_ledger", "--head", "2001-01-01")


def figures():
    return {
        family.name: family.samples[0].value
        for family in SiteCollector().collect()
        if family.samples
    }


def found():
    return {(finding.check, finding.subject) for finding in audit().findings}


@pytest.fixture
def posted():
    """A game that is over, nothing of it sealed yet."""
    escrow, winner = make_escrow(), make_player()
    paid = [make_stake(escrow=escrow, player=player) for player in (winner, make_player())]
    stakes.settle_game(
        escrow=escrow, stakes=paid, prizes=[(winner, paid[0].entry * 2 * 9 / 10)], key="finish:1"
    )
    return Transfer.objects.get(key="finish:1")


REWRITINGS = {
    "an amount": "UPDATE wallet_entry SET amount_minor = amount_minor * 2 WHERE transfer_id = {0}",
    "an account": """UPDATE wallet_entry SET account_id = (
        SELECT min(id) FROM wallet_account WHERE kind = 'winnings' AND currency = 'INR'
            AND id NOT IN (SELECT account_id FROM wallet_entry WHERE transfer_id = {0}))
        WHERE transfer_id = {0} AND amount_minor = 18000""",
    "the kind": "UPDATE wallet_transfer SET kind = 'refund' WHERE id = {0}",
    "an entry gone": "DELETE FROM wallet_entry WHERE transfer_id = {0} AND amount_minor = 2000",
    "the fingerprint": "UPDATE wallet_transfer SET fingerprint = sha256('x') WHERE id = {0}",
}


@pytest.mark.parametrize("sql", first(2, REWRITINGS.values()), ids=REWRITINGS.keys())
def test_a_transfer_rewritten_before_it_is_sealed_is_refused(posted, sql):
    with unguarded() as cursor:
        cursor.execute(sql.format(posted.pk))
        assert cursor.rowcount > 0

    for _ in range(2):
        with pytest.raises(SealRefused, match=f"transfer {posted.pk} differs from its posting"):
            seals.seal_ledger()

    task = StaffTask.objects.get(kind=StaffTask.Kind.SEAL_REFUSED)
    assert task.transfer == posted
    assert not Seal.objects.exists()


def test_every_kind_of_transfer_is_sealed(posted):
    fund(make_player(), bonus=5_00, deposit=1_00, winnings=1_00)
    mine = fund(make_player(), deposit=7_00)
    moved = posting.post(
        key="moved",
        kind=Transfer.Kind.ADJUSTMENT,
        entries=[(mine["deposit"], -1_00), (mine["winnings"], 1_00)],
        effective_at=timezone.now() - timedelta(days=3),
    )
    posting.reverse(moved)

    [seal] = seals.seal_ledger()

    assert seal.transfer_count == Transfer.objects.count()
    assert seal.version_count > 0
    assert found() == set()


def test_deleted_last_seal_is_reported_and_not_made_again(posted):
    seals.seal_ledger()
    fund(make_player(), deposit=1_00)
    last = seals.seal_ledger()[-1]
    assert figures()["rummy_seals_missing"] == 0
    with unguarded() as cursor:
        cursor.execute("DELETE FROM wallet_seal WHERE number = %s", [last.number])

    with pytest.raises(SealsMissing, match=f"seal {last.number} is missing"):
        seals.seal_ledger()
    with pytest.raises(SealsMissing):
        seals.seal_ledger()

    assert StaffTask.objects.get().kind == StaffTask.Kind.SEALS_MISSING
    assert figures()["rummy_seals_missing"] == 1
    assert ("row_deleted", f"wallet_seal {last.pk}") in found()


def test_a_rewritten_head_is_not_built_upon(posted):
    [head] = seals.seal_ledger()
    fund(make_player(), deposit=1_00)
    with unguarded() as cursor:
        cursor.execute("UPDATE wallet_seal SET hash = repeat('0', 64)")

    with pytest.raises(SealsMissing):
        seals.seal_ledger()

    assert ("seal_broken", f"seal {head.number}") in found()


def test_a_version_rewritten_after_it_was_sealed_breaks_the_seal(posted):
    [seal] = seals.seal_ledger()
    version = RowVersion.objects.filter(relation="wallet_stake", act="insert").first()
    with unguarded() as cursor:
        cursor.execute(
            'UPDATE wallet_rowversion SET facts = facts || \'{"rake_minor": "1"}\' WHERE id = %s',
            [version.pk],
        )

    assert ("seal_broken", f"seal {seal.number}") in found()


@pytest.mark.extended
def test_stopped_sealing_is_a_metric_a_task_and_a_difference(posted):
    seals.seal_ledger()
    assert (seals.report_late_seals(), figures()["rummy_seal_lag_seconds"]) == (None, 0)
    late = Transfer.objects.get(
        pk=fund(make_player(), deposit=1_00)["deposit"].entries.get().transfer_id
    )
    with unguarded() as cursor:
        cursor.execute(
            "UPDATE wallet_transfer SET created_at = created_at - interval '2 hours' WHERE id = %s",
            [late.pk],
        )

    task, again = seals.report_late_seals(), seals.report_late_seals()

    assert (task.kind, task.transfer, again.pk) == (StaffTask.Kind.SEAL_LATE, late, task.pk)
    assert figures()["rummy_seal_lag_seconds"] == pytest.approx(7200, abs=60)
    assert ("seal_lag", f"transfer {late.pk}") in found()


def test_age_before_the_first_audit_counts_from_the_installation(posted):
    with unguarded() as cursor:
        cursor.execute("UPDATE wallet_transfer SET created_at = now() - interval '1 hour'")

    assert figures()["rummy_audit_age_seconds"] == pytest.approx(3600, abs=60)

    with unguarded() as cursor:
        cursor.execute("DELETE FROM wallet_entry; DELETE FROM wallet_transfer")
    assert not Transfer.objects.exists()
    assert figures()["rummy_audit_age_seconds"] == 0
