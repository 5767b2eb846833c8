"""Seals chain every finished transfer once, including late commits."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from tests.builders.processes.threads import at_once
from tests.builders.wallet.players import fund, make_player
from tests.builders.wallet.slow_posting import posted_slowly
from wallet.audit import seals
from wallet.audit.audit import audit
from wallet.audit.models import Seal
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
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


def test_the_application_makes_no_seal_but_by_sealing():
    fund(make_player(), deposit=1_00)
    [seal] = seals.seal_ledger()
    seal.pk, seal.number, seal.hash = None, 2, "0" * 64

    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        seal.save(force_insert=True)


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
