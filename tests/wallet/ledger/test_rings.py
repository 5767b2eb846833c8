"""The database's guards: the application's role cannot write, the owner cannot rewrite."""

import pytest
from django.db import IntegrityError, connection, transaction

from tests.builders.wallet.players import balances, books, fund, make_player
from wallet.audit.audit import row_findings
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db(transaction=True)


def run(sql, *params):
    with connection.cursor() as cursor:
        cursor.execute(sql, params or None)


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
            "SELECT ledger_fingerprint('adjustment', %s, '{}', NULL, NULL, '', NULL, '', NULL)",
            [",".join(f"{pk}:{amount}" for pk, amount in sorted((a.pk, n) for a, n in lines))],
        )
        return cursor.fetchone()[0]


def insert_entries(transfer, *lines, are_moved=False):
    """Insert (account, amount) lines with the versions and balances that would be right.

    If `are_moved`, the same statement changes the balances.
    """
    values, params, moving = [], [], ""
    if are_moved:
        moving = """WITH moved AS (UPDATE wallet_account SET version = version + 1,
            balance_minor = balance_minor + CASE id WHEN %s THEN %s ELSE %s END
            WHERE id IN (%s, %s))"""
        (payer, paid), (payee, got) = lines
        params = [payer.pk, paid, got, payer.pk, payee.pk]
    for account, amount in lines:
        now = Account.objects.get(pk=account.pk)
        values.append("(%s, %s, %s, ledger_site_day(), 'adjustment', %s, %s, %s)")
        params += [transfer, now.pk, now.currency, amount]
        params += [now.balance_minor + amount, now.version + 1]
    run(
        f"""{moving} INSERT INTO wallet_entry (transfer_id, account_id, currency, booked_on, kind,
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


def lines(minor, *, old=False, **moving):
    """Return a step that writes -5 of the deposit and another amount of the winnings."""

    def step(transfer, mine):
        transfer = Transfer.objects.earliest("pk").pk if old else transfer
        insert_entries(transfer, (mine["deposit"], -5), (mine["winnings"], minor), **moving)

    return step


def into_points(transfer, mine):
    points = fund(make_player(), currency="PTS")["deposit"]
    insert_pair(transfer, mine["deposit"].pk, points.pk, "ledger_site_day(), 'adjustment', 5, 5, 1")


def overdraw(transfer, mine):
    """Move more than the deposit holds; entries and balances agree."""
    insert_entries(transfer, (mine["deposit"], -100_01), (mine["winnings"], 100_01), are_moved=True)


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
    ("is sealed", {"entry_count": 2, "xid": "99999999"}, lines(5, are_moved=True)),
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
    ("wallet_account_owner_fits_kind", {"entry_count": 2}, overdraw),
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
    insert_entries(transfer, (deposit, -5), (winnings, 5), are_moved=True)
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
