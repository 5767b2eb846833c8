"""IFSCs of unknown or merged banks are refused at each step of a withdrawal."""

from datetime import date

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse

from config import environment
from tests.builders.staff.people import a_person
from tests.builders.wallet.payout_desk import PAYEE, make_sent, make_withdrawal, payee_for, step
from tests.builders.wallet.players import fund, make_player
from wallet.exceptions import BadIfsc, BankMerged, NothingToSend
from wallet.withdrawals.models import Withdrawal
from wallet.withdrawals.payees import banks
from wallet.withdrawals.payees.actions import register_payee
from wallet.withdrawals.payees.models import RegisteredPayee
from wallet.withdrawals.payees.sealing import Payee
from wallet.withdrawals.payout_file import left_out_of, payout_rows
from wallet.withdrawals.withdrawals import send_to_bank

pytestmark = pytest.mark.django_db
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


@pytest.fixture
def asha():
    player = make_player(country="IN", region="KA")
    fund(player, deposit=500_00)
    return player


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
