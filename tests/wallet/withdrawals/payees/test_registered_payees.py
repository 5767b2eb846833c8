"""Withdrawals go only to registered bank accounts, to later ones only after a term."""

from datetime import date, timedelta

import pytest
from cryptography.fernet import Fernet
from django.conf import settings as django_settings
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone
from moneyed import Money

from config import environment
from core.clock import database_now
from players.eligibility.hold_models import Hold
from players.exceptions import IdentityUnverified, PayeeNotPlayer, WithdrawalsHeld
from players.notifications.actions import mail_due
from players.notifications.models import Notification
from players.notifications.texts import text_of
from players.sign_in.security.letters import mail_changes
from tests.builders.people.holds import hold_player
from tests.builders.people.identities import verify_identity
from tests.builders.people.regions import open_region
from tests.builders.people.sessions import prove
from tests.builders.processes.threads import at_once
from tests.builders.staff.people import a_person
from tests.builders.wallet.payout_desk import (
    OTHER,
    PAYEE,
    make_sent,
    make_withdrawal,
    payee_for,
    step,
)
from tests.builders.wallet.players import fund, make_player
from wallet.exceptions import (
    AccountNew,
    BadIfsc,
    BankMerged,
    NothingToSend,
    PayeeRegistered,
    TooManyPayees,
    UnknownPayee,
)
from wallet.withdrawals.models import Withdrawal
from wallet.withdrawals.payees import banks
from wallet.withdrawals.payees.actions import PAYEES_MAX, register_payee, remove_payee
from wallet.withdrawals.payees.models import RegisteredPayee
from wallet.withdrawals.payees.sealing import Payee, open_payee
from wallet.withdrawals.payout_file import left_out_of, payout_rows
from wallet.withdrawals.withdrawals import request_withdrawal, send_to_bank

pytestmark = pytest.mark.django_db

TERM = timedelta(hours=django_settings.NEW_ACCOUNT_HOURS)


def ask(player, payee=PAYEE):
    return make_withdrawal(10, player=player, payee=payee)


def request(player, registered):
    return request_withdrawal(
        player=player, amount=Money(10, "INR"), payee=registered, requested_by=player
    )


@pytest.fixture
def asha():
    player = make_player(country="IN", region="KA")
    fund(player, deposit=500_00)
    return player


def test_first_bank_account_is_usable_at_once(asha):
    for _ in range(2):
        asked = ask(asha)
        assert asked.account_new_until is None
        step("approve", asked)


def test_withdrawal_to_a_new_account_waits_and_is_then_approved(asha, clocks):
    payee_for(asha)
    registered = payee_for(asha, OTHER)
    clocks.let_pass(hours=3)
    asked = ask(asha, OTHER)
    assert asked.account_new_until == registered.registered_at + TERM
    assert asked.due_at > asked.account_new_until

    with pytest.raises(AccountNew) as refusal:
        step("approve", asked)
    assert refusal.value.code == "account_new"
    decision = {"decided_by": make_player(is_staff=True), "decided_at": timezone.now()}
    with pytest.raises(IntegrityError, match="to_a_new_account_waits"), transaction.atomic():
        Withdrawal.objects.filter(pk=asked.pk).update(status="approved", **decision)

    asked.refresh_from_db()
    assert asked.status == "requested"
    clocks.let_pass(hours=django_settings.NEW_ACCOUNT_HOURS - 3, seconds=1)
    step("approve", asked)
    assert ask(asha, OTHER).account_new_until is None


def test_a_removed_account_waits_again_and_takes_no_more_money(asha, clocks):
    first = payee_for(asha)
    pending = ask(asha)
    remove_payee(player=asha, public_id=first.public_id)
    clocks.let_pass(days=3)

    with pytest.raises(UnknownPayee):
        request(asha, first)
    anew = register_payee(player=asha, payee=PAYEE)
    assert anew.usable_from == anew.registered_at + TERM
    assert database_now() - anew.registered_at < timedelta(minutes=1)
    step("approve", pending)  # It was asked for when the account was registered.


def test_registering_the_same_bank_account_returns_the_existing_one(asha, settings):
    first = register_payee(player=asha, payee=PAYEE)
    settings.PAYEE_KEYS = [Fernet.generate_key().decode(), *settings.PAYEE_KEYS]

    assert register_payee(player=asha, payee=PAYEE) == first
    with pytest.raises(PayeeRegistered):
        register_payee(player=asha, payee=Payee("A. Rao", "1234567890", "HDFC0009999"))
    assert RegisteredPayee.objects.count() == 1


def test_number_of_registered_accounts_is_limited(asha):
    for number in range(PAYEES_MAX):
        register_payee(player=asha, payee=Payee("Asha Rao", f"11122233{number}", "SBIN0001234"))

    with pytest.raises(TooManyPayees):
        register_payee(player=asha, payee=PAYEE)

    remove_payee(player=asha, public_id=RegisteredPayee.objects.first().public_id)
    register_payee(player=asha, payee=PAYEE)


def test_account_of_another_player_is_not_removed_or_used(asha, owner):
    theirs = payee_for(make_player())

    with pytest.raises(UnknownPayee):
        remove_payee(player=asha, public_id=theirs.public_id)
    with pytest.raises(UnknownPayee):
        request(asha, theirs)
    asked = ask(asha)
    with (
        owner(),
        pytest.raises(IntegrityError, match=r"is immutable|cannot change from"),
        transaction.atomic(),
    ):
        Withdrawal.objects.filter(pk=asked.pk).update(payee=theirs)

    theirs.refresh_from_db()
    assert theirs.removed_at is None


def test_place_that_needs_identity_requires_the_name_of_the_document(asha):
    open_region("IN-KA", withdrawal_needs_identity=True)
    with pytest.raises(IdentityUnverified):
        register_payee(player=asha, payee=PAYEE)
    verify_identity(asha, "Bina Shah")
    with pytest.raises(PayeeNotPlayer):
        register_payee(player=asha, payee=PAYEE)

    register_payee(player=asha, payee=Payee("SHAH, Bina", "1234567890", "HDFC0001234"))
    hold_player(asha, Hold.Kind.WITHDRAW)
    with pytest.raises(WithdrawalsHeld):
        register_payee(player=asha, payee=OTHER)


def test_player_is_notified_of_a_registered_account(asha):
    payee_for(asha)
    registered = payee_for(asha, OTHER)

    mail_due(now=timezone.now())
    mail_changes(now=timezone.now())

    notification = Notification.objects.get(kind="payee_registered", subject="5544")
    until = timezone.localtime(registered.usable_from)
    said = text_of(notification)
    assert "ending in 5544" in said
    assert f"It can be used from {until.day} {until:%b %Y, %H:%M}" in said
    first, other = mail.outbox
    assert first.to == other.to == [asha.email]
    assert "Bank account registered: HDFC …7890" in first.body
    assert "Bank account registered: ICIC …5544" in other.body
    assert f"It takes effect on {until.day} {until:%b %Y, %H:%M}" in other.body


@pytest.mark.django_db(transaction=True)
def test_one_of_two_concurrent_first_accounts_is_new(asha):
    found = at_once(
        lambda payee=payee: register_payee(player=asha, payee=payee) for payee in (PAYEE, OTHER)
    )

    assert sorted(each.usable_from is None for each in found) == [False, True]


FIELDS = {"payee_name": "Asha Rao", "bank_account": "001234567890", "ifsc": "HDFC0001234"}


def test_page_registers_shows_and_removes_without_the_full_number(asha, client):
    client.force_login(asha)
    prove(client)
    before = client.get(reverse("start-withdrawal")).text

    page = client.post(reverse("payees"), FIELDS, follow=True).text
    form = client.get(reverse("start-withdrawal")).text

    assert "First register the bank account" in before
    assert "Registered: HDFC, ending in 7890" in page
    assert "HDFC, ending in 7890" in form
    assert PAYEE.bank_account not in page + form
    url = reverse("remove-payee", args=[RegisteredPayee.objects.get().public_id])
    assert "Bank account removed." in client.post(url, follow=True).text
    assert "First register the bank account" in client.get(reverse("start-withdrawal")).text


def test_page_registers_no_invalid_account_and_strips_line_breaks(asha, client):
    client.force_login(asha)
    prove(client)
    for wrong in (
        {"bank_account": "12"},
        {"ifsc": "hdfc0001234"},
        {"payee_name": "=cmd()"},
        {"payee_name": ""},
        {"payee_name": "अमन"},  # Nothing of it would stand in the bank's file.
    ):
        assert client.post(reverse("payees"), FIELDS | wrong).status_code == 200, wrong
    assert not RegisteredPayee.objects.exists()

    client.post(reverse("payees"), {name: f"{text}\n" for name, text in FIELDS.items()})

    assert open_payee(RegisteredPayee.objects.get()) == PAYEE


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("payee_name", [1, 1.5, True, "1", "=cmd()", "Asha\nRao", "Asha\x00", "अमन शर", "Ωμ"]),
        ("bank_account", [123456789012, "१२३४५६७८९", "12345678\n9", "1" * 19]),
        ("ifsc", [1, "hdfc0001234", "HDFC1001234"]),
    ],
)
def test_the_api_takes_plain_texts_only(asha, client, field, values):
    client.force_login(asha)
    prove(client)

    for value in values:
        answer = client.post(
            reverse("api-payees"), FIELDS | {field: value}, content_type="application/json"
        )
        assert (answer.status_code, list(answer.json()["errors"])) == (400, [field]), value

    assert not RegisteredPayee.objects.exists()


def test_the_api_registers_lists_and_removes(asha, client):
    client.force_login(asha)
    prove(client)

    made = client.post(reverse("api-payees"), FIELDS, content_type="application/json")
    [listed] = client.get(reverse("api-payees")).json()["results"]
    gone = client.delete(reverse("api-payee", args=[listed["id"]]))

    assert (made.status_code, made.json()) == (201, listed)
    assert (listed["bank"], listed["account_end"], listed["usable_from"]) == ("HDFC", "7890", None)
    assert gone.status_code == 204
    assert client.get(reverse("api-payees")).json()["results"] == []
    assert client.delete(reverse("api-payee", args=[listed["id"]])).status_code == 404


MERGED = {
    **dict.fromkeys(("SBBJ", "SBHY", "SBMY", "SBTR", "STBP", "BMBL"), "SBIN"),
    **dict.fromkeys(("VIJB", "BKDN"), "BARB"),
    **dict.fromkeys(("ORBC", "UTBI"), "PUNB"),
    **dict.fromkeys(("ANDB", "CORP"), "UBIN"),
    "SYNB": "CNRB",
    "ALLA": "IDIB",
    "LAVB": "DBSS",
    "VYSA": "KKBK",
    "PMCB": "UNBA",
}


def register(player, ifsc):
    return register_payee(player=player, payee=Payee("Asha Rao", "001234567890", ifsc))


@pytest.fixture
def merge(monkeypatch):
    """Return a function that merges the bank of `PAYEE` into another after it was registered."""

    def merged():
        known = banks._list()
        into = {"name": "HDFC Bank", "into": "UBIN", "on": "2026-09-01"}
        monkeypatch.setattr(
            banks, "_list", lambda: known | {"merged": known["merged"] | {PAYEE.bank: into}}
        )

    return merged


def test_codes_of_merged_and_unknown_banks_are_refused(asha):
    assert set(banks.merged_codes()) == set(MERGED)
    assert banks.list_date() == date(2026, 8, 24)
    for old, new in MERGED.items():
        with pytest.raises(BankMerged) as refusal:
            register(asha, f"{old}0001234")
        assert banks.merger_of(old).on < banks.list_date()
        assert banks._list()["banks"][new] in str(refusal.value)
        assert f"begins with {new}" in str(refusal.value)
    for ifsc in ("XXXX0001234", "HDFX0001234", "HDFC1001234", "HDFC000123", ""):
        with pytest.raises(BadIfsc):
            register(asha, ifsc)
    assert not RegisteredPayee.objects.exists()


@pytest.mark.parametrize("bank", ["SBIN", "PYTM", "AIRP"])
def test_known_bank_is_registered(asha, bank):
    assert register(asha, f"{bank}0001234").merged_into is None


def test_bank_missing_from_the_list_is_added_by_a_setting(asha, settings, monkeypatch):
    settings.BANK_CODES_ADDED = ["NEWB"]
    assert register(asha, "NEWB0001234").bank == "NEWB"

    monkeypatch.setenv("BANK_CODES_ADDED", "NEWB,OTHR")
    assert environment.bank_codes() == ["NEWB", "OTHR"]
    monkeypatch.setenv("BANK_CODES_ADDED", "NEWB1")
    with pytest.raises(ImproperlyConfigured, match="four capital letters"):
        environment.bank_codes()


def test_an_account_registered_before_the_merger_is_shown_and_refused(asha, client, merge):
    registered = payee_for(asha)
    client.force_login(asha)
    before = client.get(reverse("payees")).text
    merge()

    page = client.get(reverse("payees")).text
    [shown] = client.get(reverse("api-payees")).json()["results"]
    with pytest.raises(BankMerged):
        make_withdrawal(10, player=asha)

    assert "No money can be sent" not in before
    assert "No money can be sent" in page
    assert "Union Bank of India" in page
    assert shown["merged_into"] == "UBIN"
    assert not Withdrawal.objects.filter(payee=registered).exists()


def test_withdrawal_to_a_bank_merged_meanwhile_is_neither_approved_nor_sent(asha, merge):
    asked, approved = make_withdrawal(10, player=asha), make_withdrawal(10, player=asha)
    step("approve", approved)
    merge()

    with pytest.raises(BankMerged):
        step("approve", asked)
    with pytest.raises(NothingToSend):
        send_to_bank(by=make_player(is_staff=True))
    assert step("reject", asked).status == "rejected"


def test_file_made_before_a_bank_merger_omits_the_withdrawal_with_a_note(asha, client, merge):
    sent = make_sent(rupees=10, player=asha)
    assert [len(chunk) for chunk in payout_rows(sent.batch)] == [1]
    merge()
    client.force_login(a_person("Finance"))

    file = client.get(reverse("admin:payout-file", args=[sent.batch_id]))
    lines = b"".join(file.streaming_content).decode().splitlines()
    page = client.get(reverse("admin:wallet_payoutbatch_changelist")).text
    queue = client.get(reverse("admin:wallet_withdrawal_changelist")).text

    assert len(lines) == 1, "the headings alone"
    assert "1 withdrawal is left out" in page
    assert "Union Bank of India" in queue
    assert left_out_of(sent.batch) == 1
    assert step("mark_failed", sent).status == "failed"
