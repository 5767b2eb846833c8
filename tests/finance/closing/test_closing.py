"""Daily closes: order, checks, and reports that do not change afterwards."""

from functools import partial
from itertools import pairwise

import pytest
from django.urls import reverse

from finance.closing import actions as closing
from finance.exceptions import BooksDiffer
from finance.reports.catalogue import REPORTS
from finance.reports.frame.models import DailyClose, DailyTotal
from finance.tasks import close_days
from tests.builders.books.full_books import a_day_passes, keep_busy, play_pool, use_bonus
from tests.builders.processes.threads import at_once
from tests.builders.wallet.payout_desk import make_withdrawal
from tests.builders.wallet.players import fund, make_player
from tests.builders.wallet.tax_office import unguarded
from wallet.audit.audit import row_findings
from wallet.ledger import posting
from wallet.ledger.models import Transfer

pytestmark = pytest.mark.django_db(transaction=True)


def a_little_happens():
    play_pool()
    use_bonus()
    make_withdrawal()


@pytest.mark.parametrize(
    ("forms", "goes_on"),
    [
        (("csv",), a_little_happens),
        pytest.param(("csv", "xlsx"), keep_busy, marks=pytest.mark.extended),
    ],
    ids=["CSV", "all"],
)
def test_reports_of_a_closed_day_do_not_change(desk, settings, forms, goes_on):
    settings.FINANCE_RATE = "1000/min"
    goes_on()
    wrong = fund(make_player(), deposit=1_00)["deposit"].entries.get().transfer
    day = a_day_passes()
    close_days()
    days = {"from": day, "to": day}
    lasting = [one for one in REPORTS if not one.has_late_entries]
    formats = [(one.name, form) for one in lasting for form in forms]
    formats.append(("journal", "beancount"))

    first = {key: desk.file(key[0], format=key[1], **days) for key in formats}
    pages = [desk.ask(one.name, limit=3, **days).content for one in lasting]
    goes_on()
    posting.reverse(wrong, memo="Too late")
    again = {key: desk.file(key[0], format=key[1], **days) for key in formats}

    assert [key for key in formats if first[key] != again[key]] == []
    assert [desk.ask(one.name, limit=3, **days).content for one in lasting] == pages
    close = DailyClose.objects.get()
    assert f"# generated_at,{close.closed_at.isoformat()}".encode() in first["journal", "csv"]


def test_correction_of_a_closed_day_is_booked_on_the_next(desk):
    fund(make_player(), deposit=100_00)
    day = a_day_passes()
    [close] = closing.close_days()
    wrong = Transfer.objects.get()

    posting.reverse(wrong, memo="Charged back")

    [out, back] = desk.page("journal", **{"from": closing.end_days()})["results"]
    assert (out["reverses"], back["reverses"]) == (str(wrong.public_id),) * 2
    assert out["booked_on"] > day.isoformat() == close.day.isoformat()
    assert len(desk.page("journal", to=day)["results"]) == 2


def test_days_are_closed_in_order_once_with_their_movements(desk):
    fund(make_player(), deposit=100_00)
    a_day_passes()
    a_day_passes()
    play_pool()
    played = Transfer.objects.count() - 1
    last = a_day_passes()
    fund(make_player(), deposit=7)

    made = closing.close_days()

    assert [close.day for close in made] == sorted(close.day for close in made)
    assert made[-1].day == last
    assert [(close.transfers, close.games) for close in made][::2] == [(1, 0), (played, 1)]
    assert [close.transfers for close in made][1] == 0
    chain = [("", made[0].control_hash)]
    chain += [(a.control_hash, b.control_hash) for a, b in pairwise(made)]
    assert [(close.previous_hash, close.control_hash) for close in made] == chain
    assert closing.close_days() == []
    rows = desk.page("daily-close")["results"]
    ends = {(row["day"], row["currency"], row["account_kind"]): row for row in rows}
    for (day, *of), row in ends.items():
        if day == last.isoformat():
            trial = desk.page("trial-balance", to=last)["results"]
            [same] = [one for one in trial if [one["currency"], one["account_kind"]] == of]
            assert same["closing_minor"] == row["closing_minor"]


def test_empty_ledger_and_current_day_are_not_closed():
    assert closing.close_days() == []
    fund(make_player(), deposit=100_00)

    assert closing.close_days() == []
    with pytest.raises(BooksDiffer):
        closing.close_day(day=Transfer.objects.get().booked_on)
    assert not DailyClose.objects.exists()


def test_two_workers_close_a_day_once():
    play_pool()
    day = a_day_passes()
    assert closing.next_day() == day

    closes = at_once([partial(closing.close_day, day=day)] * 2)

    assert closes[0] == closes[1] == DailyClose.objects.get()
    assert closes[0].control_hash == closes[1].control_hash


SPOILT = {
    "a balance is out of thin air": (
        "UPDATE wallet_entry SET amount_minor = amount_minor + 1 WHERE id = "
        "(SELECT min(id) FROM wallet_entry)"
    ),
    "an escrow of a finished game is not empty": (
        "UPDATE wallet_account SET balance_minor = 1, status = 'open' WHERE kind = 'escrow'"
    ),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_day_whose_figures_differ_stays_open(how):
    play_pool()
    a_day_passes()
    with unguarded() as cursor:
        cursor.execute(SPOILT[how])

    with pytest.raises(BooksDiffer):
        close_days()

    assert not DailyClose.objects.exists()


def test_changed_closed_day_prevents_the_next_close():
    fund(make_player(), deposit=100_00)
    a_day_passes()
    closing.close_days()
    with unguarded() as cursor:
        cursor.execute("UPDATE finance_dailyclose SET day = day - 1")
        cursor.execute("UPDATE finance_dailytotal SET close_id = close_id - 1")
        cursor.execute("UPDATE wallet_entry SET amount_minor = amount_minor * 2")

    with pytest.raises(BooksDiffer):
        closing.close_days()


ALTERED = {
    "an entry": "UPDATE wallet_entry SET amount_minor = amount_minor * 2",
    "an entry's day": "UPDATE wallet_entry SET booked_on = booked_on - 1",
    "a total": (
        "UPDATE finance_dailytotal SET in_minor = in_minor + 1, closing_minor = closing_minor + 1"
    ),
}


@pytest.mark.parametrize("how", ALTERED)
def test_the_audit_compares_closed_totals_with_entries(how):
    fund(make_player(), deposit=100_00)
    day = a_day_passes()
    closing.close_days()
    before = {one.check for one in row_findings()}
    with unguarded() as cursor:
        cursor.execute(ALTERED[how])

    found = {(one.check, one.subject) for one in row_findings()}

    assert "close_total" not in before
    assert ("close_total", f"day {day}") in found


@pytest.fixture
def staff(client):
    client.force_login(make_player(is_staff=True, is_superuser=True))
    return client


def page(model, what="changelist", *args):
    return reverse(f"admin:finance_{model._meta.model_name}_{what}", args=args)


def test_a_close_is_shown_with_its_totals(staff):
    fund(make_player(), deposit=123_45)
    a_day_passes()
    [close] = closing.close_days()

    assert close.control_hash in staff.get(page(DailyClose)).content.decode()
    shown = staff.get(page(DailyClose, "change", close.pk)).content.decode()
    assert shown.count("123.45") >= DailyTotal.objects.count() == 2
    assert staff.post(page(DailyClose, "change", close.pk), {"games": 7}).status_code == 403
