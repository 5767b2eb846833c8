"""Players see their taxes before they agree, afterwards, and by year."""

import csv

import pytest
from django.urls import reverse
from moneyed import Money

from tests.builders.wallet.amounts import sent
from tests.builders.wallet.payout_desk import signed_in_payee
from tests.builders.wallet.players import make_player
from tests.builders.wallet.tax_office import give_back, let_years_pass, make_winner, win, withdraw
from wallet.ledger.days import site_day
from wallet.statements.receipts import receipt_of
from wallet.tax import withholding
from wallet.tax.arithmetic import financial_year, year_name
from wallet.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db


@pytest.fixture
def me(client):
    player = make_winner(deposit=1000, winnings=5000)
    client.force_login(player)
    return player


def ask_page(client, **overrides):
    payee = signed_in_payee(client)
    form = client.get(reverse("start-withdrawal")).context["form"]
    said = {"amount": "3000", "key": str(form["key"].value()), "agreed_tax": "0", "payee": payee}
    return client.post(reverse("start-withdrawal"), said | overrides, follow=True)


def agreed(page):
    """Return what the hidden fields of a reviewed form would send."""
    form = page.context["form"]
    return {name: str(form[name].value()) for name in ("key", "agreed_tax", "amount")}


@pytest.mark.extended
def test_the_page_shows_tax_and_net_before_anything_is_asked_for(client, me):
    for unreadable in ("-1", "x", "1e400", "0.001"):
        assert ask_page(client, agreed_tax=unreadable).status_code == 200
    page = ask_page(client)
    text = page.content.decode()
    assert "You get ₹2,400.00: ₹3,000.00 less ₹600.00 tax on your winnings." in text
    assert "Nothing has been requested yet" in text
    assert "Agree and request withdrawal" in text
    assert not Withdrawal.objects.exists()
    assert agreed(page)["agreed_tax"] == "600.00"

    listed = ask_page(client, **agreed(page)).content.decode()

    withdrawal = Withdrawal.objects.get()
    assert (withdrawal.tax, withdrawal.payout) == (Money(600, "INR"), Money(2400, "INR"))
    assert "2,400.00" in listed


@pytest.mark.parametrize(
    ("withdrawn", "sent_again", "payout"),
    [(1000, {}, "2,100.00"), (0, {"amount": "4000"}, "3,100.00")],
)
def test_changed_tax_is_shown_again_before_the_request(client, me, withdrawn, sent_again, payout):
    reviewed = agreed(ask_page(client))
    if withdrawn:
        withdraw(me, withdrawn)

    page = ask_page(client, **reviewed | sent_again)

    assert "The tax has changed" in page.content.decode()
    assert f"You get ₹{payout}" in page.content.decode()
    assert agreed(page)["key"] != reviewed["key"]
    assert Withdrawal.objects.count() == bool(withdrawn)


def ask_api(client, key="k", **overrides):
    said = {"amount_minor": 3_000_00, "currency": "INR", "payee": signed_in_payee(client)}
    return client.post(
        reverse("api-withdrawals"),
        said | overrides,
        content_type="application/json",
        headers={"Idempotency-Key": key},
    )


def test_the_quote_is_what_the_request_must_agree_to(client, me):
    asked = {"amount_minor": 3_000_00, "currency": "INR"}
    quote = client.get(reverse("api-withdrawal-quote"), asked).json()
    refused = ask_api(client)
    made = ask_api(client, "k2", tax_minor=quote["tax"]["minor"])

    assert (quote["tax"], quote["payout"]) == (sent(600_00), sent(2_400_00))
    assert [step["amount"]["minor"] for step in quote["sums"]] == [
        3000_00,
        -1000_00,
        0,
        0,
        2000_00,
        600_00,
        3000_00,
        -600_00,
        2400_00,
    ]
    assert (refused.status_code, refused.json()["code"]) == (409, "tax_changed")
    assert (made.status_code, made.json()["payout"]) == (201, sent(2_400_00))


BAD_QUOTES = [
    ({}, 400),
    ({"amount_minor": 0, "currency": "INR"}, 400),
    ({"amount_minor": "NaN", "currency": "INR"}, 400),
    ({"amount_minor": "1e400", "currency": "INR"}, 400),
    ({"amount_minor": "1.005", "currency": "INR"}, 400),
    ({"amount_minor": str(2**63), "currency": "INR"}, 400),
    ({"amount_minor": 1_00, "currency": "XQX"}, 400),
    ({"amount_minor": 1_00, "currency": "PTS"}, 422),
]


@pytest.mark.parametrize("name", ["api-withdrawal-quote", "api-deposit-quote"])
def test_bad_quotes_are_refused_with_a_code(client, me, name):
    for asked, status in BAD_QUOTES:
        answer = client.get(reverse(name), asked)

        assert answer.status_code == status, asked
        assert answer.json()["code"], asked


def test_withdrawal_receipt_shows_the_tax_calculation(client, me):
    withdrawal = withdraw(me, 3000)

    receipt = receipt_of(withdrawal.hold, me)
    page = client.get(reverse("wallet-receipt", args=[withdrawal.hold.public_id])).content.decode()

    name = year_name(financial_year(site_day()))
    assert [(line.text, line.money.amount) for line in receipt.sums] == [
        ("From deposit", 1000),
        ("From winnings", 2000),
        ("Requested", 3000),
        (f"A: withdrawn in {name}, including this withdrawal", 3000),
        (f"B: your own deposits in {name}", -1000),
        ("C: balance at the beginning", 0),
        ("E: winnings already taxed in the year", 0),
        ("Net winnings, at least 0", 2000),
        ("Tax at 30 %", 600),
        ("Tax withheld", -600),
        ("Paid to your bank", 2400),
    ]
    assert "You get ₹2,400.00: ₹3,000.00 less ₹600.00 tax on your winnings." in page


@pytest.mark.extended
def test_year_end_receipt_shows_the_opening_balance(me):
    let_years_pass()
    [row] = withholding.settle_past_years(player=me, currency="INR")

    receipt = receipt_of(row.transfer, me)

    shown = {line.text: line.money.amount for line in receipt.sums}
    assert shown["D: balance at the end, including games"] == 6000
    assert shown["Tax withheld"] == -1500
    assert shown["Opening balance of the next year"] == 4500
    assert "The year" in receipt.sentence


@pytest.mark.extended
def test_a_settled_year_is_shown_as_it_was_settled(client, me):
    withdraw(me, 2000)
    let_years_pass()
    withholding.settle_past_years(player=me, currency="INR")
    win(me, 999)
    year = financial_year(site_day()) - 1

    page = client.get(reverse("wallet-tax"), {"year": year})

    letters = [(letter, money.amount) for letter, _words, money in page.context["letters"]]
    assert letters == [("A", 2000), ("B", 1000), ("C", 0), ("D", 4000), ("E", 1000)]
    assert page.context["found"].tax == Money(300 + 1200, "INR")


@pytest.mark.extended
def test_page_file_and_api_show_the_year_and_each_deduction_to_its_player(client, me):
    withdraw(me, 2000)
    returned = withdraw(me, 1000)
    give_back(returned)
    year = financial_year(site_day())

    shown = client.get(reverse("api-tax")).json()
    page = client.get(reverse("wallet-tax"))
    file = client.get(reverse("wallet-tax-file"), {"year": year})

    assert shown == client.get(reverse("api-tax"), {"year": year}).json()
    deductions = shown.pop("deductions")
    assert shown == {
        "year": year,
        "name": year_name(year),
        "years": [year],
        "is_settled": False,
        "withdrawn_a": sent(2000_00),
        "own_deposits_b": sent(1000_00),
        "opening_c": sent(0),
        "closing_d": sent(4000_00),
        "taxed_before_e": sent(1000_00),
        "tax": sent(300_00),
    }
    assert [(row["taxed"], row["tax"], row["given_back"]) for row in deductions] == [
        (sent(1_000_00), sent(300_00), False),
        (sent(1_000_00), sent(300_00), True),
    ]
    assert deductions[0]["rate_bps"] == 3000
    assert deductions[1]["transfer"] == str(returned.withholding.transfer.public_id)
    letters = [(letter, money.amount) for letter, _words, money in page.context["letters"]]
    assert letters == [("A", 2000), ("B", 1000), ("C", 0), ("D", 4000), ("E", 1000)]
    rows = csv.DictReader(b"".join(file.streaming_content).decode().splitlines())
    assert [(row["net_winnings"], row["tax"], row["given_back"]) for row in rows] == [
        ("1000.00", "300.00", "no"),
        ("1000.00", "300.00", "yes"),
    ]
    for name in ("wallet-tax", "wallet-tax-file", "api-tax"):
        for wrong in ("1999", "x", "2**63"):
            assert client.get(reverse(name), {"year": wrong}).status_code == 400
    client.force_login(make_player())
    assert client.get(reverse("wallet-tax")).context["rows"] == ()
    assert client.get(reverse("api-tax")).json()["deductions"] == []
    client.logout()
    assert client.get(reverse("api-tax")).status_code == 403
    assert client.get(reverse("wallet-tax")).status_code == 302
