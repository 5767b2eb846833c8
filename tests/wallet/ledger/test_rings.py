"""The database's guards: the application's role cannot write, the owner cannot rewrite."""

import pytest
from django.db import IntegrityError, ProgrammingError, connection, transaction

from tests.builders.wallet.players import balances, books, fund, make_player
from wallet.audit.audit import row_findings
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db(transaction=True)


def run(sql, *params):
    with connection.cursor() as cursor:
        cursor.execute(sql, params or None)


WRITES = [
    "UPDATE wallet_account SET balance_minor = balance_minor + 1",
    "UPDATE wallet_account SET status = 'frozen'",
    "INSERT INTO wallet_account SELECT * FROM wallet_account",
    "DELETE FROM wallet_account",
    "TRUNCATE wallet_account CASCADE",
    "SELECT * FROM wallet_account FOR UPDATE",
    "UPDATE wallet_transfer SET memo = 'x'",
    "INSERT INTO wallet_transfer SELECT * FROM wallet_transfer",
    "DELETE FROM wallet_transfer",
    "TRUNCATE wallet_transfer CASCADE",
    "UPDATE wallet_entry SET amount_minor = 1",
    "INSERT INTO wallet_entry SELECT * FROM wallet_entry",
    "DELETE FROM wallet_entry",
    "TRUNCATE wallet_entry",
    "UPDATE wallet_bookedday SET closed_at = now()",
    "INSERT INTO wallet_bookedday (day, ended_at, closed_at) VALUES ('2020-01-01', now(), now())",
    "DELETE FROM wallet_bookedday",
    "UPDATE wallet_stake SET entry_minor = 1",
    "DELETE FROM wallet_stake",
    "UPDATE wallet_stakepart SET amount_minor = 1",
    "DELETE FROM wallet_stakepart",
    "DELETE FROM wallet_withdrawalfreeze",
    "UPDATE wallet_withdrawalfreeze SET reason = ''",
    "UPDATE wallet_policy SET gives = NULL",
    "INSERT INTO wallet_policy (kind, document, of_one_player) VALUES ('prize', 'x', false)",
    "DELETE FROM wallet_policy",
    "ALTER TABLE wallet_entry DISABLE TRIGGER ALL",
    "SET session_replication_role = replica",
    "SELECT ledger_write('k', 'rake', '{}', '{}', '{}', '{}', '', '', NULL, NULL, 1, '', 1, '', 1)",
    "SELECT ledger_book_day(interval '0')",
    "SELECT setval('ledger_ended_day', 1)",
    "SELECT ledger_shift_clock(interval '1 day')",
    "SELECT ledger_mark_demo()",
    "UPDATE wallet_installation SET is_demo = true",
    "SELECT nextval('wallet_entry_id_seq')",
    "CREATE FUNCTION ledger_post() RETURNS int LANGUAGE sql RETURN 1",
]


def test_application_role_can_only_read_and_call_functions(asha, subtests):
    before, held = books(), balances(asha["deposit"])

    for sql in WRITES:
        with subtests.test(sql):
            with pytest.raises(ProgrammingError, match=r"permission denied|must be owner"):
                run(sql)

            assert (books(), balances(asha["deposit"])) == (before, held)


def accounts_now():
    return list(Account.objects.order_by("pk").values())


def insert_transfer(entry_count, xid="pg_current_xact_id()::text::bigint", fingerprint=b""):
    with connection.cursor() as cursor:
        cursor.execute(
            f"""INSERT INTO wallet_transfer (public_id, key, fingerprint, kind, entry_count, memo,
                actor, document, game, emptied, xid, booked_on, effective_at, created_at)
            VALUES (gen_random_uuid(), 'by hand', %s, 'adjustment', %s, '', '', '', '', '{{}}',
                {xid}, ledger_site_day(), now(), now()) RETURNING id""",
            [fingerprint, entry_count],
        )
        return cursor.fetchone()[0]


def fingerprint_of(*lines):
    """Return the fingerprint that the posting takes of an adjustment of these lines."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT ledger_fingerprint('adjustment', %s, %s, '{}', NULL, NULL, '', NULL, '', NULL)",
            [[account.pk for account, _ in lines], [amount for _, amount in lines]],
        )
        return cursor.fetchone()[0]


def insert_entries(transfer, *lines):
    """Insert (account, amount) lines with the versions and balances that would be right."""
    values, params = [], []
    for account, amount in lines:
        now = Account.objects.get(pk=account.pk)
        values.append("(%s, %s, %s, ledger_site_day(), 'adjustment', %s, %s, %s)")
        params += [transfer, now.pk, now.currency, amount]
        params += [now.balance_minor + amount, now.version + 1]
    run(
        f"""INSERT INTO wallet_entry (transfer_id, account_id, currency, booked_on, kind,
            amount_minor, balance_after_minor, account_version) VALUES {", ".join(values)}""",
        *params,
    )


PLAIN = "ledger_site_day(), 'adjustment', 5, 5005, 2"


def insert_pair(transfer, account, other, second=PLAIN):
    """Write 5 paise from an account to another; `second` is what the other's entry says."""
    run(
        f"""INSERT INTO wallet_entry (transfer_id, account_id, currency, booked_on, kind,
            amount_minor, balance_after_minor, account_version)
        VALUES (%s, %s, 'INR', ledger_site_day(), 'adjustment', -5, 9995, 2),
            (%s, %s, 'INR', {second})""",
        *(transfer, account, transfer, other),
    )


def pair(other=None, second=PLAIN, *, of=None):
    """Return a step that writes a pair of entries, in another transfer or to another account."""

    def step(transfer, mine):
        insert_pair(of or transfer, mine["deposit"].pk, other or mine["winnings"].pk, second)

    return step


def lines(minor, *, old=False):
    """Return a step that writes -5 of the deposit and another amount of the winnings."""

    def step(transfer, mine):
        transfer = Transfer.objects.earliest("pk").pk if old else transfer
        insert_entries(transfer, (mine["deposit"], -5), (mine["winnings"], minor))

    return step


def into_points(transfer, mine):
    points = fund(make_player(), currency="PTS")["deposit"]
    insert_pair(transfer, mine["deposit"].pk, points.pk, "ledger_site_day(), 'adjustment', 5, 5, 1")


def complete_and_more(_, mine):
    """Deferred checks can be asked early; what is added afterwards must still be refused."""
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")
    entries = [(mine["deposit"], -5), (mine["winnings"], 5)]
    transfer = posting.post(key="x", kind=Transfer.Kind.ADJUSTMENT, entries=entries)
    run("SET CONSTRAINTS ALL IMMEDIATE")
    insert_entries(transfer.pk, (mine["bonus"], 5), (suspense, -5))


# The reason, the transfer that is inserted, and the step after it.
INCOMPLETE = [
    ("has 0 entries, not the 2", {"entry_count": 2}, None),
    ("wallet_transfer_two_sides_or_more", {"entry_count": 1}, None),
    ("its own database transaction", {"entry_count": 2, "xid": "99999999"}, None),
    ("does not sum to zero", {"entry_count": 2}, lines(6)),
    ("has 2 entries, not the 3", {"entry_count": 3}, lines(5)),
    ("is not in its account's balance", {"entry_count": 2}, lines(5)),
    ("there is no account .* in INR", {"entry_count": 2}, into_points),
    ("there is no transfer 99999999", {"entry_count": 2}, pair(of=99999999)),
    ("there is no account 99999999", {"entry_count": 2}, pair(99999999)),
    (
        "are booked on its day",
        {"entry_count": 2},
        pair(second="ledger_site_day() - 1, 'adjustment', 5, 5005, 2"),
    ),
    (
        "are of its kind, adjustment",
        {"entry_count": 2},
        pair(second="ledger_site_day(), 'prize', 5, 5005, 2"),
    ),
    ("is sealed", None, lines(5, old=True)),
    ("has 4 entries, not the 2", None, complete_and_more),
]


def test_incomplete_transfer_of_the_owner_does_not_commit(owner, asha, subtests):
    before = books(), accounts_now()

    @transaction.atomic
    def insert(transfer, step):
        made = insert_transfer(**transfer) if transfer else None
        if step:
            step(made, asha)

    for reason, transfer, step in INCOMPLETE:
        with subtests.test(reason):
            with owner(), pytest.raises(IntegrityError, match=reason):
                insert(transfer, step)
            assert (books(), accounts_now()) == before


def repair(deposit, winnings, fingerprint=b""):
    """Move 0.05 from deposit to winnings, in a whole transfer without the posting function."""
    transfer = insert_transfer(2, fingerprint=fingerprint)
    insert_entries(transfer, (deposit, -5), (winnings, 5))
    run(
        """UPDATE wallet_account SET version = version + 1, balance_minor = balance_minor
            + CASE id WHEN %s THEN -5 ELSE 5 END WHERE id IN (%s, %s)""",
        deposit.pk,
        deposit.pk,
        winnings.pk,
    )
    return transfer


def test_a_whole_transfer_by_hand_is_as_good_as_the_function_s(owner, asha):
    """The guards ask for truth, not for the function: an owner's exact repair may pass."""
    deposit, winnings = asha["deposit"], asha["winnings"]
    with owner(), transaction.atomic():
        repair(deposit, winnings, fingerprint_of((deposit, -5), (winnings, 5)))

    assert balances(deposit, winnings) == [99_95, 50_05]
    assert row_findings() == ()


@pytest.mark.parametrize("moved", [None, 6])
def test_a_transfer_by_hand_that_does_not_fit_its_fingerprint_is_found(owner, asha, moved):
    deposit, winnings = asha["deposit"], asha["winnings"]
    with owner(), transaction.atomic():
        wrong = fingerprint_of((deposit, -moved), (winnings, moved)) if moved else b""
        transfer = repair(deposit, winnings, wrong)

    [finding] = row_findings()
    assert (finding.check, finding.subject) == ("transfer_not_as_posted", f"transfer {transfer}")


def test_an_account_opens_empty(owner, asha):
    before = Account.objects.count()
    with owner(), pytest.raises(IntegrityError, match="opens empty"):
        run(
            """INSERT INTO wallet_account (public_id, kind, ref, shard, currency, balance_minor,
                version, status, created_at)
            VALUES (gen_random_uuid(), 'suspense', '', 7, 'INR', 5, 0, 'open', now())"""
        )

    assert Account.objects.count() == before


def test_ledger_foreign_keys_are_checked_at_once():
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT count(*), count(*) FILTER (WHERE condeferrable) FROM pg_constraint
            WHERE contype = 'f' AND conrelid IN ('wallet_account'::regclass,
                'wallet_transfer'::regclass, 'wallet_entry'::regclass, 'wallet_stake'::regclass,
                'wallet_stakepart'::regclass)"""
        )
        total, deferrable = cursor.fetchone()

    assert (total, deferrable) == (9, 0)
