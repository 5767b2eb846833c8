"""Days end without a lock: no session delays postings, and closed days never grow (ADR 7)."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event

import pytest
from django.db import Error, connection, connections, transaction

from finance.closing import actions as closing
from finance.reports.frame.models import DailyClose
from tests.builders.processes.sessions import hanging
from tests.builders.processes.threads import at_once
from tests.builders.wallet.players import fund, make_player
from wallet.audit import seals
from wallet.audit.audit import row_findings
from wallet.audit.seals import seal_ledger
from wallet.ledger import accounts, posting
from wallet.ledger.days import end_days, site_day
from wallet.ledger.models import BookedDay, Transfer

pytestmark = pytest.mark.django_db(transaction=True)
KIND = Transfer.Kind.ADJUSTMENT
DAY = timedelta(days=1)
FUNDED = 12


def ask(sql, *values):
    with connection.cursor() as cursor:
        cursor.execute(sql, values or None)
        return cursor.fetchone()[0] if cursor.description else None


@pytest.fixture
def shift(owner, calendar):
    """Set the ledger's clock to another day; restore the calendar afterwards."""

    def shift(days):
        with owner():
            ask("SELECT ledger_shift_clock(%s)", timedelta(days=days))

    yield shift
    shift(0)


@pytest.fixture
def post():
    """Each posting has other accounts, so none waits for another."""
    players = iter([fund(make_player(), deposit=1_00) for _ in range(FUNDED)])

    def post(key):
        mine = next(players)
        return posting.post(
            key=key, kind=KIND, entries=[(mine["deposit"], -1), (mine["winnings"], 1)]
        )

    return post


def test_hung_session_at_midnight_delays_the_close_but_no_posting(post, shift):
    today = site_day()

    with hanging(lambda: post("before midnight")) as session:
        shift(1)
        after = at_once([lambda n=n: post(f"after midnight {n}") for n in range(8)])
        assert [transfer.booked_on for transfer in after] == [today + DAY] * 8
        assert end_days() == today
        assert BookedDay.objects.get().closed_at is None
        assert closing.close_days() == []
        later = post("while the close waits")
    made = closing.close_days()

    assert (session.result().booked_on, later.booked_on) == (today, today + DAY)
    assert [(close.day, close.transfers) for close in made] == [(today, FUNDED + 1)]
    assert BookedDay.objects.get(day=today).closed_at > session.result().created_at
    assert (end_days(), post("the day after").booked_on) == (today + DAY, today + DAY)
    assert Transfer.objects.filter(booked_on=today).count() == DailyClose.objects.get().transfers
    seal_ledger()
    assert row_findings() == ()


def test_a_transaction_that_has_booked_stays_on_its_day(post, shift):
    today = site_day()

    with transaction.atomic():
        first = post("first")
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(end_this_day, shift).result(30) == today
        second = post("second")
        assert (first.booked_on, second.booked_on, site_day()) == (today, today, today)

    assert post("third").booked_on == today + DAY
    assert end_days() == today + DAY
    assert BookedDay.objects.get(day=today).closed_at > second.created_at


def end_this_day(shift):
    """End today from a session of its own, by a clock that runs ahead and then no longer does."""
    try:
        shift(1)
        open_day = end_days()
        shift(0)
        return open_day
    finally:
        connections.close_all()


@pytest.mark.parametrize("isolation", ["REPEATABLE READ", "SERIALIZABLE"])
def test_an_old_snapshot_books_on_no_closed_day(post, shift, isolation):
    today = site_day()
    booked = []
    go_on, snapshot_taken = Event(), Event()

    def old():
        with transaction.atomic():
            ask(f"SET TRANSACTION ISOLATION LEVEL {isolation}")
            assert ask("SELECT count(*) FROM wallet_bookedday") == 0
            snapshot_taken.set()
            assert go_on.wait(30)
            booked.append(post("late").booked_on)

    def close():
        assert snapshot_taken.wait(30)
        try:
            assert end_this_day(shift) == today + DAY
            return BookedDay.objects.get(day=today).closed_at
        finally:
            go_on.set()

    _, closed_at = at_once([old, close])

    assert booked == [today + DAY]
    assert Transfer.objects.filter(booked_on=today).latest("created_at").created_at < closed_at


def test_days_end_with_the_clock_also_without_postings_or_after_a_rollback(post, shift):
    today = site_day()
    shift(1)
    with transaction.atomic():
        assert ask("SELECT ledger_end_days()") == today
        transaction.set_rollback(True)
    assert post("x").booked_on == today + DAY
    assert end_days() == today + DAY

    shift(5)

    assert post("y").booked_on == today + 5 * DAY
    assert end_days() == today + 5 * DAY
    closed = BookedDay.objects.filter(closed_at__isnull=False)
    assert list(closed.order_by("day").values_list("day", flat=True)) == [
        today + n * DAY for n in range(5)
    ]
    shift(0)  # A clock that is set back opens no day again.
    assert (post("z").booked_on, site_day(), end_days()) == (today + 5 * DAY,) * 3


def test_locks_the_application_can_take_stop_neither_postings_nor_closes(post, shift):
    today = site_day()

    def lock():
        ask("SELECT pg_advisory_lock(5211, 1), pg_advisory_lock(5211, 2), pg_advisory_lock(5212)")

    with hanging(lock):
        shift(1)
        assert post("x").booked_on == today + DAY
        assert [close.day for close in closing.close_days()] == [today]
        assert seals.seal_ledger()


def test_ledger_clock_dates_every_posting(post, shift):
    now = ask("SELECT clock_timestamp()")
    shift(-40)

    transfer = post("then")
    account = accounts.open_player_account(
        player=make_player(), currency="INR", kind="locked_bonus"
    )

    for moment in (transfer.created_at, transfer.effective_at, account.created_at):
        assert timedelta(0) <= moment + 40 * DAY - now < timedelta(minutes=5)


def test_days_begin_earlier_in_a_demo_that_has_booked_nothing(shift, owner):
    today = site_day()
    shift(-40)
    with owner():
        ask("SELECT ledger_begin_days(%s)", today - 40 * DAY)
    assert site_day() == today - 40 * DAY

    mine, other = (fund(make_player(), deposit=1_00)["deposit"] for _ in range(2))
    shift(-39)
    assert end_days() == today - 39 * DAY
    posting.post(key="a day later", kind=KIND, entries=[(mine, -1), (other, 1)])

    booked = Transfer.objects.order_by("pk").values_list("booked_on", flat=True)
    assert list(booked) == [today - 40 * DAY, today - 40 * DAY, today - 39 * DAY]
    with owner(), pytest.raises(Error, match="before its first transfer"):
        ask("SELECT ledger_begin_days(%s)", today - 50 * DAY)


def test_only_a_database_marked_before_its_first_transfer_has_another_time(post, owner):
    """This one is marked, by `tests/conftest.py`."""
    with owner(), pytest.raises(Error, match="before its first transfer"):
        ask("UPDATE wallet_installation SET is_demo = false")
    with owner(), transaction.atomic():
        ask("SET LOCAL session_replication_role = replica")
        ask("UPDATE wallet_installation SET is_demo = false")
        ask("SET LOCAL session_replication_role = DEFAULT")
        for sql, refusal in (
            ("SELECT ledger_shift_clock('1 day')", "wallet_installation_shifted_in_a_demo"),
            (
                "UPDATE wallet_installation SET clock_shift = '1 s'",
                "wallet_installation_shifted_in_a_demo",
            ),
            ("SELECT ledger_mark_demo()", "before its first transfer"),
        ):
            with pytest.raises(Error, match=refusal), transaction.atomic():
                ask(sql)
        transaction.set_rollback(True)

    assert ask("SELECT is_demo AND clock_shift = '0' FROM wallet_installation")


def test_the_audit_finds_a_last_ended_day_that_was_set_by_hand(calendar, owner):
    def checks_after(ended):
        with owner():
            ask("SELECT setval('ledger_ended_day', %s)", ended)
        return [finding.check for finding in row_findings()]

    closing.close_days()
    with owner():
        ask("SELECT ledger_end_days()")
    assert row_findings() == ()

    assert checks_after(calendar + 30) == ["day_sequence"]
