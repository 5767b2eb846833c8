"""A posting moves money exactly as requested, or not at all."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.db import DatabaseError, Error, IntegrityError, connection
from moneyed import Money

from tests.builders.wallet.players import balances, books, fund, make_escrow, make_player
from wallet import exceptions
from wallet.ledger import accounts, posting
from wallet.ledger.days import site_day
from wallet.ledger.models import Account, Transfer
from wallet.stakes.rake import rake_account

pytestmark = pytest.mark.django_db(transaction=True)
KIND = Transfer.Kind.ADJUSTMENT


def test_transfer_moves_money_and_returns_its_entries(asha, suspense):
    effective = datetime(2026, 1, 31, 20, 0, tzinfo=UTC)

    transfer = posting.post(
        key="adjust:1",
        kind=KIND,
        entries=[
            (asha["deposit"], Money("-30.00", "INR")),
            (asha["winnings"].pk, -5_00),
            (suspense, 35_00),
        ],
        memo="Goodwill",
        actor="player:9",
        effective_at=effective,
    )

    stored = Transfer.objects.get(pk=transfer.pk)
    for field in (field.attname for field in Transfer._meta.fields if field.name != "fingerprint"):
        assert getattr(transfer, field) == getattr(stored, field), field
    assert bytes(transfer.fingerprint) == bytes(stored.fingerprint)
    assert (stored.kind, stored.entry_count, stored.memo) == ("adjustment", 3, "Goodwill")
    assert (stored.effective_at, stored.booked_on) == (effective, site_day())
    assert not transfer.is_replay
    lines = [
        (entry.account_id, entry.amount_minor, entry.balance_after_minor, entry.account_version)
        for entry in transfer.entries.all()
    ]
    assert lines == [
        (asha["deposit"].pk, -30_00, 70_00, 2),
        (asha["winnings"].pk, -5_00, 45_00, 2),
        (suspense.pk, 35_00, 35_00, 1),
    ]
    assert balances(asha["deposit"], asha["winnings"], suspense) == [70_00, 45_00, 35_00]


def test_the_same_key_moves_money_once(asha, suspense):
    def adjust():
        # The order of entries and the actor do not belong to what is compared.
        return posting.post(key="adjust:1", kind=KIND, entries=entries, actor=actor)

    entries, actor = [(asha["deposit"], -30_00), (suspense, 30_00)], "player:1"
    first = adjust()
    entries, actor = [(suspense, Money(30, "INR")), (asha["deposit"].pk, -30_00)], "clock"
    second = adjust()

    assert (second.pk, second.is_replay, second.actor) == (first.pk, True, "player:1")
    assert balances(asha["deposit"], suspense) == [70_00, 30_00]


def test_a_used_key_refuses_another_transfer(asha, suspense, subtests):
    escrow = make_escrow()
    body = {"kind": KIND, "entries": [(asha["deposit"], -30_00), (suspense, 30_00)]}
    posting.post(key="adjust:1", **body)
    points = fund(make_player(), currency="PTS", deposit=100_00)["deposit"]
    operator_points = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="PTS")
    before = books()
    changes = {
        "amount": {"entries": [(asha["deposit"], -31_00), (suspense, 31_00)]},
        "account": {"entries": [(asha["winnings"], -30_00), (suspense, 30_00)]},
        "currency": {"entries": [(points, -30_00), (operator_points, 30_00)]},
        "kind": {"kind": Transfer.Kind.GRANT},
        "entries": {
            "entries": [(asha["deposit"], -30_00), (asha["winnings"], 1), (suspense, 29_99)]
        },
        "effective": {"effective_at": datetime(2026, 1, 1, tzinfo=UTC)},
        "empty": {"must_be_empty": [escrow]},
    }

    for other, change in changes.items():
        with subtests.test(other):
            with pytest.raises(exceptions.KeyConflict) as refusal:
                posting.post(key="adjust:1", **body | change)

            assert (refusal.value.code, refusal.value.status) == ("key_conflict", 422)
            assert books() == before
            assert balances(asha["deposit"], asha["winnings"], suspense) == [70_00, 50_00, 30_00]


BAD_BODIES = {
    "nothing": ("too_few_entries", lambda a, s: []),
    "one side": ("too_few_entries", lambda a, s: [(s, 5)]),
    "unbalanced": ("unbalanced", lambda a, s: [(a["deposit"], -5), (s, 6)]),
    "zero": ("zero_amount", lambda a, s: [(a["deposit"], 0), (s, 0)]),
    "twice": ("repeated_account", lambda a, s: [(s, 5), (s, -5)]),
    "unknown": ("unknown_account", lambda a, s: [(a["deposit"], -5), (2**40, 5)]),
    "too much": ("insufficient_funds", lambda a, s: [(a["deposit"], -100_01), (s, 100_01)]),
    "huge": ("amount_out_of_range", lambda a, s: [(a["deposit"], -(2**63)), (s, 2**63)]),
    "overflow": ("amount_out_of_range", lambda a, s: [(a["deposit"], 2**63 - 1), (s, 1 - 2**63)]),
    "half a paisa": (
        "inexact_amount",
        lambda a, s: [(s, Money("0.005", "INR")), (a["deposit"], Money("-0.005", "INR"))],
    ),
    "float": ("inexact_amount", lambda a, s: [(a["deposit"], -0.5), (s, 0.5)]),
    "bool": ("inexact_amount", lambda a, s: [(a["deposit"], -1), (s, True)]),
    "nan": ("inexact_amount", lambda a, s: [(s, Money(Decimal("NaN"), "INR")), (a["bonus"], 1)]),
    "1e400": (
        "amount_out_of_range",
        lambda a, s: [(s, Money("1e400", "INR")), (a["deposit"], Money("-1e400", "INR"))],
    ),
    "other currency": (
        "currency_mismatch",
        lambda a, s: [(a["deposit"], Money(-1, "PTS")), (s, Money(1, "PTS"))],
    ),
    "other currency by number": (
        "currency_mismatch",
        lambda a, s: [(a["deposit"].pk, Money(-1, "PTS")), (s.pk, Money(1, "PTS"))],
    ),
    "no account": ("malformed_transfer", lambda a, s: [(a["deposit"], -5), (None, 5)]),
}


def test_bad_transfers_are_refused_and_leave_no_trace(asha, suspense, subtests):
    before = books()

    for name, (code, entries) in BAD_BODIES.items():
        with subtests.test(name):
            with pytest.raises(exceptions.WalletError) as refusal:
                posting.post(key="adjust:1", kind=KIND, entries=entries(asha, suspense))

            assert refusal.value.code == code
            assert books() == before
            assert balances(asha["deposit"], suspense) == [100_00, 0]


UNFITTING = [
    ("ARRAY[%(a)s, %(b)s]", "ARRAY[-5]", "ARRAY[NULL, NULL]::text[]"),
    ("ARRAY[%(a)s, %(b)s]", "ARRAY[-5, 5]", "ARRAY[NULL]::text[]"),
    ("ARRAY[%(a)s, %(b)s]", "ARRAY[-5, NULL]", "ARRAY[NULL, NULL]::text[]"),
    ("ARRAY[%(a)s, NULL]", "ARRAY[-5, 5]", "ARRAY[NULL, NULL]::text[]"),
    ("ARRAY[%(a)s, %(b)s]", "NULL", "ARRAY[NULL, NULL]::text[]"),
    ("NULL", "ARRAY[-5, 5]", "ARRAY[NULL, NULL]::text[]"),
]


def test_the_function_itself_refuses_lists_that_do_not_fit(asha, suspense):
    before = books()

    for accounts_named, amounts, currencies in UNFITTING:
        sql = (
            f"SELECT ledger_post('k', 'adjustment', {accounts_named}, {amounts}, {currencies},"
            " '{}', '', '', NULL, gen_random_uuid())"
        )
        with pytest.raises(DatabaseError) as refusal, connection.cursor() as cursor:
            cursor.execute(sql, {"a": asha["deposit"].pk, "b": suspense.pk})

        assert refusal.value.__cause__.sqlstate == "RL015", sql
        assert books() == before, sql


def test_account_that_must_be_empty_is_empty_and_an_escrow_is_closed(asha, suspense):
    escrow, deposit = make_escrow(), asha["deposit"]
    posting.post(key="in", kind=KIND, entries=[(deposit, -10), (escrow, 10)])

    def post(key, payer, payee, amount, *, empty):
        entries = [(payer, -amount), (payee, amount)]
        posting.post(key=key, kind=KIND, entries=entries, must_be_empty=[empty])

    for payer, payee, empty in ((escrow, deposit, escrow), (deposit, suspense, suspense)):
        with pytest.raises(exceptions.NotEmpty):
            post("out", payer, payee, 9, empty=empty)
    post("out", escrow, deposit, 10, empty=escrow)
    post("all", deposit, suspense, 100_00, empty=deposit)
    before = books()

    for account, status in ((escrow, "closed"), (deposit, "open")):
        account.refresh_from_db()
        assert (account.balance_minor, account.status) == (0, status)
    with pytest.raises(exceptions.AccountClosed):
        posting.post(key="late", kind=KIND, entries=[(asha["winnings"], -1), (escrow, 1)])
    assert books() == before


def test_reversal_is_the_exact_opposite_happens_once_and_is_not_reversed(asha, suspense):
    entries = [(asha["deposit"], -30_00), (asha["winnings"], -1), (suspense, 30_01)]
    original = posting.post(key="adjust:1", kind=KIND, entries=entries)
    played = posting.post(key="b", kind=KIND, entries=[(suspense, -1), (make_escrow(), 1)])

    first = posting.reverse(original, memo="Mistake")
    second = posting.reverse(original)
    before = books()

    assert (first.kind, first.reverses_id, first.is_replay) == ("reversal", original.pk, False)
    assert (second.pk, second.is_replay) == (first.pk, True)
    for transfer in (first, played, Transfer(pk=2**40)):
        with pytest.raises(exceptions.NotReversible):
            posting.reverse(transfer)
    assert books() == before
    assert balances(asha["deposit"], asha["winnings"], suspense) == [100_00, 50_00, -1]


@pytest.mark.parametrize("kind", ["pocket", "deposit", "escrow"])
def test_an_account_has_a_known_kind_that_fits_its_owner(kind):
    with pytest.raises(IntegrityError, match="wallet_account_owner_fits_kind"):
        accounts.operator_account(kind=kind, currency="INR")

    assert not Account.objects.filter(kind=kind).exists()


def test_rake_goes_to_the_game_s_own_shard():
    shards = {
        rake_account(accounts.open_escrow(ref=f"table:{n}", currency="INR")).shard
        for n in range(200)
    }
    escrow = make_escrow()

    assert shards == set(range(16))
    assert rake_account(escrow).pk == rake_account(escrow).pk


def test_lock_outside_a_transaction_is_refused(asha):
    with pytest.raises(RuntimeError):
        posting.lock([asha["deposit"]])


def test_transfer_of_two_currencies_balances_in_each(asha, suspense):
    points = fund(make_player(), currency="PTS", deposit=100_00)
    other = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="PTS")
    entries = [(asha["deposit"], -5), (suspense, 5), (points["deposit"], -7), (other, 7)]

    assert posting.post(key="adjust:1", kind=KIND, entries=entries).entry_count == 4


def test_rehearsal_gives_the_balances_or_the_refusal_of_the_posting_and_writes_nothing(
    asha, suspense
):
    before = books()

    left = posting.rehearse(
        kind=KIND, entries=[(asha["deposit"], -30_00), (suspense, Money(30, "INR"))]
    )

    assert left == {asha["deposit"].pk: 70_00, suspense.pk: 30_00}
    with pytest.raises(exceptions.InsufficientFunds):
        posting.rehearse(kind=KIND, entries=[(asha["deposit"], -100_01), (suspense, 100_01)])
    assert (books(), balances(asha["deposit"], suspense)) == (before, [100_00, 0])


def run(sql, *values):
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


BOUNDS = {
    "no key": {"key": ""},
    "a key that is too long": {"key": "x" * 161},
    "a control character in the key": {"key": "a\x07b"},
    "a line break in the actor": {"actor": "a\nb"},
    "a memo that is too long": {"memo": "x" * 201},
    "an actor that is too long": {"actor": "x" * 81},
    "a game that is too long": {"game": "x" * 81},
    "effective at no time": {"effective_at": "infinity"},
    "effective before any time": {"effective_at": "-infinity"},
    "effective before 2000": {"effective_at": "1999-12-31"},
    "effective in a year": {"effective_at": "3026-01-01"},
}


def test_functions_bound_what_they_are_given(subtests):
    player = make_player()
    mine = fund(player, deposit=100_00)
    before, plain = books(), {"key": "k", "memo": "", "actor": "", "effective_at": None, "game": ""}

    def refused(sql, *values):
        with pytest.raises(Error) as refusal:
            run(sql, *values)
        assert refusal.value.__cause__.sqlstate == "RL015"
        assert books() == before

    for name, facts in BOUNDS.items():
        shown = plain | facts
        with subtests.test(name):
            refused(
                "SELECT ledger_post(%s, 'adjustment', ARRAY[%s, %s]::bigint[], ARRAY[-1, 1], "
                "ARRAY[NULL, NULL]::text[], '{}', %s, %s, %s, gen_random_uuid(), '', NULL, %s)",
                shown["key"],
                *(mine["deposit"].pk, mine["winnings"].pk),
                *(shown["memo"], shown["actor"], shown["effective_at"], shown["game"]),
            )
    for ref, shard in [("tick\nline", 0), ("x" * 81, 0), ("ticket:1", -1), ("ticket:1", 99)]:
        with subtests.test(ref, shard=shard):
            refused(
                "SELECT ledger_open_account('ticket', %s, %s, 'INR', %s, gen_random_uuid())",
                *(player.pk, ref, shard),
            )
    assert not Account.objects.filter(player=player, kind="ticket").exists()
