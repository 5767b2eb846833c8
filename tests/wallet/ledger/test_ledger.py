"""A posting moves money exactly as requested, or not at all."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.db import DatabaseError, IntegrityError, connection
from moneyed import Money

from tests.builders.wallet.players import (
    balances,
    books,
    freeze,
    fund,
    make_escrow,
    make_player,
    thaw,
)
from wallet import exceptions
from wallet.audit import withdrawal_freezes
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Entry, Transfer
from wallet.ledger.safeguard_models import WithdrawalFreeze
from wallet.stakes.rake import rake_account

pytestmark = pytest.mark.django_db(transaction=True)
KIND = Transfer.Kind.ADJUSTMENT


def test_transfer_moves_money_and_returns_its_entries(asha, suspense):
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
    )

    assert not transfer.is_replay
    stored = Transfer.objects.get(pk=transfer.pk)
    shown = {field.attname: getattr(transfer, field.attname) for field in Transfer._meta.fields}
    kept = {field.attname: getattr(stored, field.attname) for field in Transfer._meta.fields}
    assert {**shown, "fingerprint": bytes(shown["fingerprint"])} == {
        **kept,
        "fingerprint": bytes(kept["fingerprint"]),
    }
    assert (stored.kind, stored.entry_count, stored.memo) == ("adjustment", 3, "Goodwill")
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


def test_transfer_is_booked_on_the_ledgers_day(asha, suspense):
    effective = datetime(2026, 1, 31, 20, 0, tzinfo=UTC)

    transfer = posting.post(
        key="adjust:1",
        kind=KIND,
        entries=[(asha["deposit"], -1), (suspense, 1)],
        effective_at=effective,
    )

    with connection.cursor() as cursor:
        cursor.execute("SELECT (now() AT TIME ZONE 'Asia/Kolkata')::date")
        assert transfer.booked_on == cursor.fetchone()[0]
    assert transfer.effective_at == effective


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


def test_currencies_balance_each_on_their_own(asha, suspense):
    points = fund(make_player(), currency="PTS", deposit=100_00)
    entries = [(asha["deposit"], -5), (points["deposit"], 5)]

    with pytest.raises(exceptions.Unbalanced):
        posting.post(key="adjust:1", kind=KIND, entries=entries)

    other = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="PTS")
    entries = [(asha["deposit"], -5), (suspense, 5), (points["deposit"], -7), (other, 7)]
    assert posting.post(key="adjust:1", kind=KIND, entries=entries).entry_count == 4


def test_a_refusal_leaves_its_key_unused(asha, suspense):
    """The player tops up and tries again: the same key now goes through."""
    entries = [(asha["deposit"], -120_00), (suspense, 120_00)]
    with pytest.raises(exceptions.InsufficientFunds):
        posting.post(key="buyin:1:1", kind=KIND, entries=entries)
    posting.post(
        key="fund:more", kind=KIND, entries=[(asha["winnings"], -20_00), (asha["deposit"], 20_00)]
    )

    transfer = posting.post(key="buyin:1:1", kind=KIND, entries=entries)

    assert not transfer.is_replay
    assert balances(asha["deposit"]) == [0]


def test_an_escrow_that_must_be_empty_is_closed_with_the_posting(asha):
    escrow = make_escrow()
    posting.post(key="in", kind=KIND, entries=[(asha["deposit"], -10), (escrow, 10)])

    with pytest.raises(exceptions.NotEmpty):
        posting.post(
            key="out",
            kind=KIND,
            entries=[(escrow, -9), (asha["deposit"], 9)],
            must_be_empty=[escrow],
        )
    posting.post(
        key="out", kind=KIND, entries=[(escrow, -10), (asha["deposit"], 10)], must_be_empty=[escrow]
    )

    escrow.refresh_from_db()
    assert (escrow.balance_minor, escrow.status) == (0, "closed")
    before = books()
    with pytest.raises(exceptions.AccountClosed):
        posting.post(key="late", kind=KIND, entries=[(asha["deposit"], -1), (escrow, 1)])
    assert books() == before


def test_a_bucket_that_must_be_empty_stays_open(asha, suspense):
    entries = [(asha["deposit"], -100_00), (suspense, 100_00)]
    posting.post(key="all", kind=KIND, entries=entries, must_be_empty=[asha["deposit"]])

    assert Account.objects.get(pk=asha["deposit"].pk).status == "open"
    with pytest.raises(exceptions.NotEmpty):
        posting.post(
            key="again",
            kind=KIND,
            entries=[(asha["winnings"], -1), (suspense, 1)],
            must_be_empty=[suspense],
        )


def test_frozen_account_refuses_debits_and_accepts_credits(asha, suspense):
    freeze(asha["deposit"])
    before = books()

    with pytest.raises(exceptions.AccountFrozen):
        posting.post(key="out", kind=KIND, entries=[(asha["deposit"], -1), (suspense, 1)])
    assert books() == before
    posting.post(key="in", kind=KIND, entries=[(suspense, -1), (asha["deposit"], 1)])
    thaw(asha["deposit"])
    posting.post(key="out", kind=KIND, entries=[(asha["deposit"], -1), (suspense, 1)])

    assert balances(asha["deposit"]) == [100_00]


def test_active_freeze_stops_withdrawals(asha, suspense):
    entries = [(asha["winnings"], -10_00), (asha["withdrawal_hold"], 10_00)]
    freeze = WithdrawalFreeze.objects.create(reason="The audit found 1 differences")

    with pytest.raises(exceptions.WithdrawalsFrozen):
        posting.post(key="withdraw:1", kind=Transfer.Kind.WITHDRAWAL, entries=entries)
    posting.post(key="other", kind=KIND, entries=[(asha["deposit"], -1), (suspense, 1)])
    withdrawal_freezes.clear_freeze(freeze=freeze, by=make_player())
    withdrawal_freezes.lift_freeze(freeze=freeze, by=make_player())
    posting.post(key="withdraw:1", kind=Transfer.Kind.WITHDRAWAL, entries=entries)

    assert balances(asha["withdrawal_hold"]) == [10_00]


def test_a_reversal_is_the_exact_opposite_and_happens_once(asha, suspense):
    entries = [(asha["deposit"], -30_00), (asha["winnings"], -1), (suspense, 30_01)]
    original = posting.post(key="adjust:1", kind=KIND, entries=entries)

    first = posting.reverse(original, memo="Mistake")
    second = posting.reverse(original)

    assert (first.kind, first.reverses_id, first.is_replay) == ("reversal", original.pk, False)
    assert (second.pk, second.is_replay) == (first.pk, True)
    assert balances(asha["deposit"], asha["winnings"], suspense) == [100_00, 50_00, 0]


def test_a_reversal_that_would_overdraw_is_refused(asha, suspense):
    grant = posting.post(
        key="grant", kind=KIND, entries=[(suspense, -10_00), (asha["deposit"], 10_00)]
    )
    posting.post(key="spent", kind=KIND, entries=[(asha["deposit"], -105_00), (suspense, 105_00)])
    before = books()

    with pytest.raises(exceptions.InsufficientFunds):
        posting.reverse(grant)

    assert books() == before


def test_reversals_and_money_of_games_are_not_reversed(asha, suspense):
    adjusted = posting.post(key="a", kind=KIND, entries=[(asha["deposit"], -1), (suspense, 1)])
    played = posting.post(key="b", kind=KIND, entries=[(asha["deposit"], -1), (make_escrow(), 1)])
    reversal = posting.reverse(adjusted)
    before = books()

    for transfer in (reversal, played, Transfer(pk=2**40)):
        with pytest.raises(exceptions.NotReversible):
            posting.reverse(transfer)

    assert books() == before


@pytest.mark.parametrize("kind", ["pocket", "deposit", "escrow"])
def test_an_account_has_a_known_kind_that_fits_its_owner(kind):
    with pytest.raises(IntegrityError, match="wallet_account_owner_fits_kind"):
        accounts.operator_account(kind=kind, currency="INR")

    assert not Account.objects.filter(kind=kind).exists()


def test_accounts_are_opened_once_for_each_owner():
    player = make_player()

    first = accounts.open_player_accounts(player=player, currency="INR")
    again = accounts.open_player_accounts(player=player, currency="INR")
    points = accounts.open_player_accounts(player=player, currency="PTS")

    assert {kind: account.pk for kind, account in first.items()} == {
        kind: account.pk for kind, account in again.items()
    }
    assert {account.pk for account in first.values()}.isdisjoint(a.pk for a in points.values())
    assert {account.floor_minor for account in first.values()} == {0}
    one, other = (accounts.open_escrow(ref=ref, currency="INR") for ref in ("table:1", "table:1"))
    assert one.pk == other.pk


def test_rake_goes_to_the_game_s_own_shard():
    shards = {
        rake_account(accounts.open_escrow(ref=f"table:{n}", currency="INR")).shard
        for n in range(200)
    }
    escrow = make_escrow()

    assert shards == set(range(16))
    assert rake_account(escrow).pk == rake_account(escrow).pk


def test_a_lock_needs_a_transaction(asha):
    with pytest.raises(RuntimeError):
        posting.lock([asha["deposit"]])

    assert Entry.objects.filter(account=asha["deposit"]).count() == 1
