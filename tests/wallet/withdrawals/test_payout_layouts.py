"""Payout files: column layouts of banks, references of sixteen characters."""

import csv
import io
import re
from uuid import UUID

import pytest
from django.urls import reverse

from tests.amounts import first
from tests.builders.wallet.payout_desk import make_sent, make_withdrawal, step
from tests.builders.wallet.players import make_player
from wallet.exceptions import BankAnswerUnreadable
from wallet.withdrawals import payout_file, withdrawals
from wallet.withdrawals.models import short_reference_of
from wallet.withdrawals.payees.sealing import Payee
from wallet.withdrawals.payout_file import read_answer

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(client):
    client.force_login(make_player(is_staff=True, is_superuser=True))
    return client


def found_by(desk, text):
    page = desk.get(reverse("admin:wallet_withdrawal_changelist"), {"q": text})
    return list(page.context["cl"].queryset)


def test_a_bank_gets_its_own_columns_and_a_short_reference(desk, monkeypatch):
    payee = Payee("Renée D'Souza-Nair (HUF)", "001234567890", "HDFC0001234")
    monkeypatch.setattr(payout_file, "open_payee", lambda registered: payee)
    sent = make_sent()
    url = reverse("admin:payout-file", args=[sent.batch_id])

    for layout, headings in (
        ("neft", {"Transaction Type": "NEFT", "Amount": "70.00"}),
        ("imps", {"Payment Mode": "IMPS", "Amount": "70.00"}),
    ):
        answer = desk.get(url, {"layout": layout})
        [row] = csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode()))
        assert list(row) == list(payout_file.LAYOUTS[layout].columns)
        assert headings.items() <= row.items()
        assert row["Customer Reference"] == sent.short_reference
        assert row["Beneficiary Name"] == "Renee D Souza Nair HUF"
        assert re.fullmatch("W[0-9A-F]{15}", sent.short_reference)
    assert desk.get(url, {"layout": "swift"}).status_code == 400


@pytest.mark.parametrize("layout", first(1, payout_file.LAYOUTS))
def test_a_file_made_again_leaves_out_what_the_bank_has_answered(layout):
    """A refused withdrawal is back in the wallet; in the file again it would be paid twice."""
    asked = [make_withdrawal() for _ in range(3)]
    for one in asked:
        step("approve", one)
    batch = withdrawals.send_to_bank(by=make_player(is_staff=True))
    before = list(payout_file.payout_rows(batch, layout=layout))
    assert len(before[0]) == 3
    assert list(payout_file.payout_rows(batch, layout=layout)) == before

    step("mark_failed", asked[0])
    step("mark_paid", asked[2])

    assert list(payout_file.payout_rows(batch, layout=layout)) == [[before[0][1]]]
    step("mark_failed", asked[1])
    assert list(payout_file.payout_rows(batch, layout=layout)) == []


@pytest.mark.extended
def test_a_long_file_holds_every_payout_once(monkeypatch):
    monkeypatch.setattr(payout_file, "CHUNK", 2)
    asked = [make_withdrawal() for _ in range(5)]
    for one in asked:
        step("approve", one)

    chunks = list(payout_file.payout_rows(withdrawals.send_to_bank(by=make_player())))

    assert [len(chunk) for chunk in chunks] == [2, 2, 1]
    named = [line["reference"] for chunk in chunks for line in chunk]
    assert named == [str(one.public_id) for one in asked]


def test_reference_is_never_a_number_for_a_spreadsheet():
    digits, exponent = "12345678901234567", "1234567890123e45"

    references = [
        short_reference_of(UUID(f"{digits:0>32}")),
        short_reference_of(UUID(f"{exponent:0>32}")),
    ]

    assert references == ["W345678901234567", "W234567890123E45"]
    for one in references:
        with pytest.raises(ValueError, match="could not convert"):
            float(one)


def test_the_banks_answer_names_either_reference():
    sent = make_sent()
    body = "reference,outcome,remark\n{},paid,UTR1\n"

    for reference in (str(sent.public_id), sent.short_reference, sent.short_reference.lower()):
        [word] = read_answer(sent.batch, body.format(reference).encode())
        assert word.withdrawal_id == sent.pk
    with pytest.raises(BankAnswerUnreadable, match="Line 2"):
        read_answer(sent.batch, body.format("0" * 16).encode())


def test_withdrawals_are_found_by_short_reference_and_bank_account_hash(desk):
    wanted, other = make_withdrawal(), make_withdrawal()

    assert found_by(desk, wanted.short_reference) == [wanted]
    assert found_by(desk, str(other.public_id)) == [other]
    assert set(found_by(desk, wanted.payee.payee_hash)) == {wanted, other}
    assert found_by(desk, "0" * 16) == []
