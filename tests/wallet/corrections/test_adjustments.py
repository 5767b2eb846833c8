"""Corrections need two people and a reason; freezes of accounts are staff actions."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from moneyed import Money

from core.exceptions import AlreadyDecided, CheckerIsMaker
from players.exceptions import SharedInterest
from tests.builders.processes.threads import at_once
from tests.builders.staff.people import clerk_who_may
from tests.builders.staff.previews import post_agreed
from tests.builders.wallet.adjustments import make_request, make_staff
from tests.builders.wallet.players import balances, books, fund, make_escrow, make_player
from wallet import exceptions
from wallet.audit import account_freezes
from wallet.corrections import adjustments
from wallet.corrections.models import Adjustment
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.ledger.safeguard_models import AccountFreeze

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


def test_staff_cannot_correct_their_own_balance():
    staff = make_staff()
    mine = fund(staff, deposit=10_00)["deposit"]

    with pytest.raises(SharedInterest):
        make_request(target=mine, by=staff)
    with pytest.raises(SharedInterest):
        adjustments.approve_adjustment(adjustment=make_request(target=mine), by=staff)

    assert balances(mine) == [10_00]


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


def test_games_and_withdrawals_are_not_corrected_by_hand():
    held = fund(make_player(), deposit=1_00)["withdrawal_hold"]

    for account in (make_escrow(), held):
        with pytest.raises(exceptions.NotAdjustable):
            make_request(target=account)


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


def test_staff_cannot_unfreeze_their_own_account():
    clerk = make_staff()
    account = fund(clerk, deposit=10_00)["deposit"]
    account_freezes.freeze_account(account=account, reason="Claimed by a stranger", by=make_staff())

    with pytest.raises(SharedInterest):
        account_freezes.thaw_account(account=account, reason="It is mine", by=clerk)

    account.refresh_from_db()
    assert account.status == "frozen"


def test_a_freeze_needs_a_reason():
    account = fund(make_player(), deposit=10_00)["deposit"]

    with pytest.raises(exceptions.RemarkMissing):
        account_freezes.freeze_account(account=account, reason=" ", by=make_staff())

    account.refresh_from_db()
    assert account.status == "open"


def page(name, *args):
    return reverse(f"admin:wallet_{name}", args=args)


@pytest.fixture
def form(client):
    client.force_login(make_staff())
    source = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")
    target = fund(make_player(), deposit=10_00)["deposit"]
    return {"source": source.pk, "target": target.pk, "amount": "5.00", "reason": "Paid twice"}


@pytest.mark.django_db(transaction=True)
def test_staff_ask_and_another_decides_on_the_pages(client, form):
    assert client.get(page("adjustment_add")).status_code == 200
    client.post(page("adjustment_add"), form)
    asked = Adjustment.objects.get()
    approve = {"action": "approve", "_selected_action": [asked.pk]}

    own = client.post(page("adjustment_changelist"), approve, follow=True).content.decode()
    assert "checker_is_maker" in own
    client.force_login(make_staff())
    shown = post_agreed(client, page("adjustment_changelist"), approve).text

    asked.refresh_from_db()
    assert f"Approved and posted: {asked}" in shown.replace("&nbsp;", "\xa0")
    assert (asked.status, balances(asked.target)) == ("approved", [15_00])
    row = client.get(page("adjustment_change", asked.pk)).content.decode()
    assert 'name="_save"' not in row
    assert page("transfer_change", asked.transfer_id) in row


def test_adjustment_form_refuses_invalid_amounts(client, form):
    before = books()

    for amount in ("9" * 18, "0", "1.005", "NaN", "1e17", "1e400", "", "five", "१२", "1_0"):
        page_again = client.post(page("adjustment_add"), form | {"amount": amount}, follow=True)

        assert page_again.status_code == 200, amount
    refused = client.post(page("adjustment_add"), form | {"target": form["source"]}, follow=True)
    assert "(" in refused.text

    assert not Adjustment.objects.exists()
    assert books() == before


def test_the_checker_sees_what_an_approval_would_leave(client, form):
    client.post(page("adjustment_add"), form)
    swapped = {"source": form["target"], "target": form["source"], "amount": "11.00"}
    client.post(page("adjustment_add"), form | swapped)
    before = books()
    fits, overdraws = Adjustment.objects.order_by("pk")

    shown = client.get(page("adjustment_change", fits.pk)).content.decode()
    refused = client.get(page("adjustment_change", overdraws.pk)).content.decode()

    assert "-₹5.00 and ₹15.00" in shown.replace("&nbsp;", " ").replace("\xa0", " ")
    assert "insufficient_funds" in refused
    assert books() == before


@pytest.mark.django_db(transaction=True)
def test_refused_approval_does_not_stop_the_others(client, form):
    for amount in ("11.00", "3.00"):
        swapped = {"source": form["target"], "target": form["source"], "amount": amount}
        client.post(page("adjustment_add"), form | swapped)
    small, large = Adjustment.objects.order_by("amount_minor")
    client.force_login(make_staff())
    approve = {"action": "approve", "_selected_action": [small.pk, large.pk]}

    shown = post_agreed(client, page("adjustment_changelist"), approve).text

    assert "insufficient_funds" in shown
    assert [row.status for row in Adjustment.objects.order_by("amount_minor")] == [
        "approved",
        "requested",
    ]
    assert balances(small.source) == [7_00]


def test_approval_is_not_offered_without_the_right(client, form):
    client.post(page("adjustment_add"), form)
    client.force_login(clerk_who_may("view_adjustment"))
    data = {"action": "approve", "_selected_action": [Adjustment.objects.get().pk]}

    assert "Approve and post" not in client.get(page("adjustment_changelist")).content.decode()
    client.post(page("adjustment_changelist"), data)

    assert Adjustment.objects.get().status == "requested"
    assert client.get(page("adjustment_add")).status_code == 403


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
