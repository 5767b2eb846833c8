"""The audit finds corruptions made with guards off, and raises no false alarm."""

import json
from contextlib import contextmanager
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from moneyed import Money

from tests.builders.wallet.players import fund, make_escrow, make_player, make_stake
from tests.builders.wallet.tax_office import undone
from wallet import exceptions
from wallet.audit import seals
from wallet.audit.audit import audit
from wallet.audit.models import AuditRun
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.ledger.safeguard_models import WithdrawalFreeze
from wallet.stakes import stakes

pytestmark = pytest.mark.django_db


@pytest.fixture
def books():
    """A little of everything: a finished game, one in play with a lost stake, a reversal."""
    escrow, winner = make_escrow(), make_player()
    paid = [make_stake(escrow=escrow, player=player) for player in (winner, make_player())]
    prizes = [(winner, Money(180, "INR"))]
    stakes.settle_game(escrow=escrow, stakes=paid, prizes=prizes, key="finish:1")

    in_play = make_escrow()
    lost, _, left = (make_stake(escrow=in_play) for _ in range(3))
    stakes.lose_stake(stake=lost)
    stakes.return_stakes(stakes=[left], key="leave:1")

    deposit = fund(make_player(), deposit=70_00)["deposit"]
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")
    mistake = posting.post(
        key="mistake",
        kind=Transfer.Kind.ADJUSTMENT,
        entries=[(deposit, -10_00), (suspense, 10_00)],
    )
    posting.reverse(mistake)
    seals.seal_ledger()


@pytest.fixture
def tamper(owner):
    """Write with all triggers off, as a superuser can."""

    @contextmanager
    def unguarded():
        with owner(), connection.cursor() as cursor:
            cursor.execute("SET session_replication_role = replica")
            yield cursor
            cursor.execute("SET session_replication_role = DEFAULT")

    def tamper(sql):
        with unguarded() as cursor:
            cursor.execute(sql)
            assert cursor.rowcount > 0

    return tamper


A_DEPOSIT = "(SELECT max(id) FROM wallet_account WHERE kind = 'deposit')"
AN_ENTRY = "(SELECT max(id) FROM wallet_entry)"
FIRST_STAKE = "(SELECT min(id) FROM wallet_stake)"
LIVE_STAKE = "(SELECT min(id) FROM wallet_stake WHERE status = 'live')"

CORRUPTIONS = {
    "a balance is raised": (
        f"UPDATE wallet_account SET balance_minor = balance_minor + 1 WHERE id = {A_DEPOSIT}",
        {"balance_drift", "last_balance", "ledger_unbalanced"},
    ),
    "money is moved between balances": (
        """UPDATE wallet_account SET balance_minor = balance_minor
            + CASE kind WHEN 'rake' THEN -1 ELSE 1 END
        WHERE id IN ((SELECT max(id) FROM wallet_account WHERE kind = 'rake'),
            (SELECT max(id) FROM wallet_account WHERE kind = 'deposit'))""",
        {"balance_drift", "last_balance"},
    ),
    "an entry is deleted": (
        f"DELETE FROM wallet_entry WHERE id = {AN_ENTRY}",
        {"transfer_entries", "transfer_unbalanced", "balance_drift", "version_drift"},
    ),
    "an entry's amount is altered": (
        f"UPDATE wallet_entry SET amount_minor = amount_minor + 1 WHERE id = {AN_ENTRY}",
        {"transfer_unbalanced", "balance_drift", "running_balance"},
    ),
    "a whole transfer is scaled": (
        """UPDATE wallet_entry SET amount_minor = amount_minor * 2
        WHERE transfer_id = (SELECT id FROM wallet_transfer WHERE key = 'mistake')""",
        {"balance_drift", "running_balance", "reversal_differs"},
    ),
    "two entries swap amounts": (
        """UPDATE wallet_entry SET amount_minor = -amount_minor
        WHERE transfer_id = (SELECT id FROM wallet_transfer WHERE key = 'mistake')""",
        {"balance_drift", "running_balance"},
    ),
    "an entry moves to another transfer": (
        f"""UPDATE wallet_entry SET transfer_id = (SELECT min(id) FROM wallet_transfer)
        WHERE id = {AN_ENTRY}""",
        {"transfer_entries", "transfer_unbalanced"},
    ),
    "a transfer is deleted": (
        "DELETE FROM wallet_transfer WHERE key = 'mistake'",
        {"entry_without_transfer"},
    ),
    "a transfer's count is altered": (
        "UPDATE wallet_transfer SET entry_count = 3 WHERE key = 'mistake'",
        {"transfer_entries"},
    ),
    "a version is skipped": (
        f"UPDATE wallet_entry SET account_version = account_version + 1 WHERE id = {AN_ENTRY}",
        {"version_gap", "version_drift"},
    ),
    "a currency is altered": (
        f"UPDATE wallet_entry SET currency = 'PTS' WHERE id = {AN_ENTRY}",
        {"entry_currency", "transfer_unbalanced"},
    ),
    "a day is lost": (
        "UPDATE wallet_transfer SET booked_on = booked_on - 3",
        {"booked_off_its_day", "seal_broken"},
    ),
    "a day closed too early": (
        """INSERT INTO wallet_bookedday (day, ended_at, boundary, closed_at)
            SELECT max(booked_on), min(created_at), 0, min(created_at) - interval '1 hour'
            FROM wallet_transfer""",
        {"booked_off_its_day"},
    ),
    "a stake is made cheaper": (
        f"UPDATE wallet_stake SET entry_minor = entry_minor - 1 WHERE id = {FIRST_STAKE}",
        {"stake_parts"},
    ),
    "a settled stake's rake is altered": (
        f"UPDATE wallet_stake SET rake_minor = rake_minor - 1 WHERE id = {FIRST_STAKE}",
        {"rake_unexplained"},
    ),
    "a part is raised": (
        f"""UPDATE wallet_stakepart SET amount_minor = amount_minor + 1
        WHERE stake_id = {LIVE_STAKE}""",
        {"stake_parts", "stake_part_unpaid", "escrow_unexplained"},
    ),
    "a part changes its bucket": (
        f"""UPDATE wallet_stakepart SET account_id = (SELECT max(id) FROM wallet_account
            WHERE kind = 'winnings') WHERE stake_id = {LIVE_STAKE}""",
        {"stake_part_unpaid"},
    ),
    "a live stake is called settled": (
        f"UPDATE wallet_stake SET status = 'settled', closed_at = now() WHERE id = {LIVE_STAKE}",
        {"stake_status", "escrow_unexplained"},
    ),
    "a settled stake is called live": (
        f"UPDATE wallet_stake SET status = 'live', closed_at = NULL WHERE id = {FIRST_STAKE}",
        {"stake_status"},
    ),
    "a part is returned on paper": (
        f"UPDATE wallet_stakepart SET returned_minor = 5 WHERE stake_id = {LIVE_STAKE}",
        {"escrow_unexplained"},
    ),
    "a memo is rewritten": (
        "UPDATE wallet_transfer SET memo = 'nothing to see' WHERE key = 'mistake'",
        {"seal_broken"},
    ),
    "history is rewritten so that everything else agrees": (
        """WITH two AS (SELECT id, amount_minor FROM wallet_entry WHERE transfer_id IN
            (SELECT id FROM wallet_transfer WHERE key = 'mistake' OR kind = 'reversal'))
        UPDATE wallet_entry SET amount_minor = entry.amount_minor * 2,
            balance_after_minor = balance_after_minor
                + CASE WHEN transfer.kind = 'reversal' THEN 0 ELSE entry.amount_minor END
        FROM two AS entry, wallet_transfer AS transfer
        WHERE wallet_entry.id = entry.id AND transfer.id = wallet_entry.transfer_id""",
        {"seal_broken"},
    ),
    "a seal's hash is altered": (
        "UPDATE wallet_seal SET hash = repeat('0', 64) WHERE number = 1",
        {"seal_broken"},
    ),
    "a seal is moved": ("UPDATE wallet_seal SET number = 2 WHERE number = 1", {"seal_chain"}),
    "a transfer is slipped into a sealed block": (
        """UPDATE wallet_transfer SET xid = (SELECT min(xid) FROM wallet_transfer)
        WHERE key = 'mistake'""",
        {"seal_broken"},
    ),
    "a stake is forgotten": (
        f"""DELETE FROM wallet_stakepart WHERE stake_id = {LIVE_STAKE}""",
        {"stake_parts", "escrow_unexplained"},
    ),
}


@pytest.mark.django_db(transaction=True)  # Seals are of transactions that have ended.
@pytest.mark.parametrize(
    "names",
    [list(CORRUPTIONS)[:8], pytest.param(list(CORRUPTIONS)[8:], marks=pytest.mark.extended)],
    ids=["the first", "the others"],
)
def test_audit_finds_each_corruption(books, tamper, names):
    for name in names:
        sql, checks = CORRUPTIONS[name]
        with undone():
            tamper(sql)
            report = audit()

        assert {finding.check for finding in report.findings} >= checks, name
        assert not report.is_clean, name


@pytest.mark.django_db(transaction=True)
def test_consistent_rewriting_is_found_only_by_its_seal(books, tamper):
    tamper(CORRUPTIONS["history is rewritten so that everything else agrees"][0])

    assert {finding.check for finding in audit().findings} == {"seal_broken", "transfer_rewritten"}


@pytest.mark.django_db(transaction=True)
def test_a_difference_exits_1_and_freezes_withdrawals(books, tamper):
    mine = fund(make_player(), winnings=50_00)
    tamper(CORRUPTIONS["a balance is raised"][0])
    said = StringIO()

    with pytest.raises(SystemExit) as end:
        call_command("audit_ledger", stdout=said)

    assert end.value.code == 1
    assert "balance_drift: account" in said.getvalue()
    freeze = WithdrawalFreeze.objects.active().get()
    assert "balance_drift: account" in freeze.findings
    with pytest.raises(exceptions.WithdrawalsFrozen):
        posting.post(
            key="withdraw:1",
            kind=Transfer.Kind.WITHDRAWAL,
            entries=[(mine["winnings"], -1), (mine["withdrawal_hold"], 1)],
        )
    with pytest.raises(SystemExit):
        call_command("audit_ledger", stdout=said)
    assert WithdrawalFreeze.objects.count() == 1
    assert AuditRun.objects.filter(differences__gt=0).count() == 2


def test_clean_audit_exits_0_and_freezes_nothing(books):
    said = StringIO()

    call_command("audit_ledger", "--json", stdout=said)

    report = json.loads(said.getvalue())
    assert (report["ok"], report["findings"]) == (True, [])
    assert (report["transfers"], report["stakes"]) == (15, 5)
    assert not WithdrawalFreeze.objects.exists()
