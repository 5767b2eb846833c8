"""Corrections need two people and a reason; freezes of accounts are staff actions."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from moneyed import Money

from core.exceptions import AlreadyDecided, CheckerIsMaker
from tests.builders.processes.threads import at_once
from tests.builders.wallet.adjustments import make_request, make_staff
from tests.builders.wallet.players import balances, books, fund, make_player
from wallet import exceptions
from wallet.audit import freezes as account_freezes
from wallet.audit.models import AccountFreeze
from wallet.corrections import adjustments
from wallet.corrections.models import Adjustment
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db


def test_an_approved_correction_moves_the_money_once():
    asked, checker = make_request(), make_staff()

    done = adjustments.approve_adjustment(adjustment=asked, by=checker)
    again = adjustments.approve_adjustment(adjustment=asked, by=checker)

    assert balances(asked.source, asked.target) == [-5_00, 15_00]
    assert (done.transfer.key, again.transfer_id) == (f"adjustment:{asked.pk}", done.transfer_id)
    assert (done.transfer.kind, done.transfer.memo) == ("adjustment", "Paid twice")
    assert (done.status, done.checked_by) == ("approved", checker)


def test_a_rejected_correction_moves_nothing():
    asked, checker = make_request(), make_staff()

    adjustments.reject_adjustment(adjustment=asked, by=checker)
    with pytest.raises(AlreadyDecided):
        adjustments.approve_adjustment(adjustment=asked, by=checker)

    assert balances(asked.source, asked.target) == [0, 10_00]


def test_requester_of_an_adjustment_cannot_approve_it():
    maker = make_staff()
    asked = make_request(by=maker)

    for decide in (adjustments.approve_adjustment, adjustments.reject_adjustment):
        with pytest.raises(CheckerIsMaker):
            decide(adjustment=asked, by=maker)
    with pytest.raises(IntegrityError, match="checked_by_another"), transaction.atomic():
        Adjustment.objects.filter(pk=asked.pk).update(
            status="approved",
            checked_by=maker,
            checked_at=asked.made_at,
            transfer=Transfer.objects.first(),
        )

    asked.refresh_from_db()
    assert asked.status == "requested"


SENSELESS = [
    ({"amount": Money(0, "INR")}, exceptions.ZeroAmount),
    ({"amount": Money(-5, "INR")}, exceptions.ZeroAmount),
    ({"amount": Money("0.005", "INR")}, exceptions.InexactAmount),
    ({"amount": Money("NaN", "INR")}, exceptions.InexactAmount),
    ({"amount": Money(2**63, "INR")}, exceptions.AmountOutOfRange),
    ({"amount": Money(5, "PTS")}, exceptions.CurrencyMismatch),
    ({"reason": "  "}, exceptions.RemarkMissing),
]


def test_a_senseless_request_is_refused(subtests):
    target, by = fund(make_player(), deposit=10_00)["deposit"], make_staff()

    for asked, refusal in SENSELESS:
        with subtests.test(**asked), pytest.raises(refusal):
            make_request(target=target, by=by, **asked)

    assert not Adjustment.objects.exists()


def test_a_correction_the_balance_cannot_bear_stays_open():
    target = fund(make_player(), deposit=10_00)["deposit"]
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")
    asked = make_request(source=target, target=suspense, amount=Money(11, "INR"))

    with pytest.raises(exceptions.InsufficientFunds):
        adjustments.approve_adjustment(adjustment=asked, by=make_staff())

    asked.refresh_from_db()
    assert (asked.status, balances(target)) == ("requested", [10_00])


def test_a_debt_is_not_paid_more_than_it_is():
    debt = accounts.open_player_account(player=make_player(), currency="INR", kind="receivable")
    asked, before = make_request(target=debt), books()

    with pytest.raises(exceptions.DebtOverpaid):
        adjustments.rehearse_adjustment(adjustment=asked)
    with pytest.raises(exceptions.DebtOverpaid):
        adjustments.approve_adjustment(adjustment=asked, by=make_staff())

    assert (books(), balances(debt)) == (before, [0])


@pytest.mark.django_db(transaction=True)
def test_two_checkers_at_once_decide_once():
    asked, checkers = make_request(), [make_staff() for _ in range(2)]

    answers = at_once(
        [
            lambda: adjustments.approve_adjustment(adjustment=asked, by=checkers[0]),
            lambda: adjustments.reject_adjustment(adjustment=asked, by=checkers[1]),
        ]
    )

    refused = [answer for answer in answers if isinstance(answer, AlreadyDecided)]
    assert len(refused) == 1
    asked.refresh_from_db()
    moved = 5_00 if asked.status == "approved" else 0
    assert balances(asked.target) == [10_00 + moved]


def test_a_frozen_account_keeps_its_money_and_the_acts_are_kept():
    staff, account = make_staff(), fund(make_player(), deposit=10_00)["deposit"]
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")

    account_freezes.freeze_account(account=account, reason="Claimed by a stranger", by=staff)
    with pytest.raises(exceptions.AccountFrozen), transaction.atomic():
        posting.post(key="x", kind="adjustment", entries=[(account, -1), (suspense, 1)])
    with pytest.raises(exceptions.NothingToDo):
        account_freezes.freeze_account(account=account, reason="Again", by=staff)
    account_freezes.thaw_account(account=account, reason="Cleared up", by=staff)
    posting.post(key="x", kind="adjustment", entries=[(account, -1), (suspense, 1)])

    acts = AccountFreeze.objects.filter(account=account).order_by("pk")
    assert [(act.act, act.reason, act.by) for act in acts] == [
        ("freeze", "Claimed by a stranger", staff),
        ("thaw", "Cleared up", staff),
    ]


def page(name, *args):
    return reverse(f"admin:wallet_{name}", args=args)


@pytest.fixture
def form(client):
    client.force_login(make_staff())
    source = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")
    target = fund(make_player(), deposit=10_00)["deposit"]
    return {"source": source.pk, "target": target.pk, "amount": "5.00", "reason": "Paid twice"}


def test_adjustment_form_refuses_invalid_amounts(client, form):
    before = books()

    for amount in ("9" * 18, "0", "1.005", "NaN", "1e17", "1e400", "", "five", "१२", "1_0"):
        page_again = client.post(page("adjustment_add"), form | {"amount": amount}, follow=True)

        assert page_again.status_code == 200, amount
    refused = client.post(page("adjustment_add"), form | {"target": form["source"]}, follow=True)
    assert "(" in refused.text

    assert not Adjustment.objects.exists()
    assert books() == before


def test_staff_freeze_and_thaw_on_the_page(client, form):
    data = {"account": form["target"], "act": "freeze", "reason": "Claimed by a stranger"}

    client.post(page("accountfreeze_add"), data)
    again = client.post(page("accountfreeze_add"), data, follow=True).content.decode()

    assert "nothing_to_do" in again
    assert Account.objects.get(pk=form["target"]).status == "frozen"
    assert AccountFreeze.objects.count() == 1
    listed = client.get(page("accountfreeze_changelist")).content.decode()
    assert "Claimed by a stranger" in listed
    account = client.get(page("account_change", form["target"])).content.decode()
    freezes = f"{page('accountfreeze_changelist')}?account__id__exact={form['target']}"
    assert f'{freezes}">1</a>' in account


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("promotions inr", ["Promotions INR of the operator"]),
        ("seeker winnings", ["Winnings INR of seeker · {email} · {code}"]),
        ("gateway clearing inr", ["Gateway clearing INR of the operator"]),
    ],
)
def test_staff_find_an_account_by_its_kind_currency_and_player(client, words, found):
    seeker = make_player(handle="seeker", is_staff=True, is_superuser=True)
    fund(seeker, deposit=1_00)
    for kind in (Account.Kind.PROMOTIONS, Account.Kind.SUSPENSE):
        accounts.operator_account(kind=kind, currency="INR")
    client.force_login(seeker)
    asked = {"app_label": "wallet", "model_name": "adjustment", "field_name": "source"}

    answer = client.get(reverse("admin:autocomplete"), asked | {"term": words}).json()

    names = [one["text"] for one in answer["results"]]
    assert names == [name.format(email=seeker.email, code=seeker.short_code) for name in found]
