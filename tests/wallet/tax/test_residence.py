"""Tax of players who are not resident in India: cess, surcharge, and what staff decide."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from moneyed import Money

from core import audit_log
from players.notifications.models import Notification
from players.notifications.texts import path_of, text_of
from tables.accounts.own_data import own_data
from tests.builders.processes.threads import at_once
from tests.builders.staff.people import a_person, clerk
from tests.builders.wallet.players import acts, make_player
from tests.builders.wallet.tax_office import (
    lay_down,
    let_years_pass,
    make_winner,
    undone,
    unguarded,
    withdraw,
)
from wallet.audit.audit import row_findings
from wallet.exceptions import (
    RemarkMissing,
    ResidenceDecided,
    ResidencePending,
    TaxChanged,
    WrongResidence,
)
from wallet.ledger.days import site_day
from wallet.tax.arithmetic import Rate, coverable, financial_year, first_day
from wallet.tax.assessment import quote_withdrawal
from wallet.tax.models import PayeeKind, TaxRate, Withholding
from wallet.tax.rates import rate_on
from wallet.tax.residence import accept_residence, declare_residence, payee_kind, refuse_residence
from wallet.tax.residence_models import TaxResidence
from wallet.tax.withholding import players_to_settle, settle_past_years

pytestmark = pytest.mark.django_db
RESIDENT, NON_RESIDENT = PayeeKind.RESIDENT, PayeeKind.NON_RESIDENT
LAKH = 100_000


def living_in(country, *, winnings):
    """Return a player with this much won, whose place of residence staff then changed."""
    player = make_winner(winnings=winnings)
    with transaction.atomic():
        before = audit_log.facts(player)
        player.country = country
        player.save(update_fields=["country"])
        audit_log.record(by=clerk(), act="change", row=player, before=before, about=player)
    return player


def declare(player, kind=NON_RESIDENT, country="AE"):
    return declare_residence(player_id=player.pk, kind=kind, country=country)


def accept(row, by=None):
    return accept_residence(residence_id=row.pk, by=by or clerk(), reason="TRC 2026/17")


def kind_now(player):
    return payee_kind(player, financial_year(site_day()))


@pytest.mark.parametrize(
    ("country", "kind", "tax"),
    [("IN", RESIDENT, "300"), ("", RESIDENT, "300"), ("AE", NON_RESIDENT, "312")],
)
def test_the_country_of_the_account_decides_until_something_is_declared(country, kind, tax):
    player = living_in(country, winnings=1000)

    row = withdraw(player, 1000).withholding

    assert kind_now(player) == kind
    assert (row.payee, row.tax) == (kind, Money(tax, "INR"))
    assert row.tax_minor == row.cess_minor + row.surcharge_minor + 300_00
    assert row_findings() == ()


@pytest.mark.parametrize(
    ("winnings", "surcharge", "tax"),
    [
        # 30 %, then 10, 15, 25 % of it, then 4 % of both: by the net winnings of the year.
        (50 * LAKH, 0, 15_60_000),
        (50 * LAKH + 100, 1_000, 17_16_034.32),
        (100 * LAKH + 100, 1_500, 35_88_035.88),
        (200 * LAKH + 100, 2_500, 78_00_039),
        (900 * LAKH, 2_500, 3_51_00_000),
    ],
)
def test_the_surcharge_follows_the_net_winnings_of_the_year(winnings, surcharge, tax):
    dated = rate_on(TaxRate.Tax.TDS, "INR", site_day(), payee=NON_RESIDENT)
    rate = dated.at(winnings * 100)
    assert (rate.surcharge_bps, rate.of(winnings * 100).total) == (surcharge, round(tax * 100))
    residents = rate_on(TaxRate.Tax.TDS, "INR", site_day())
    assert residents.at(winnings * 100) == Rate(3_000)


def test_a_second_withdrawal_is_taxed_in_the_slab_of_both():
    player = living_in("AE", winnings=60 * LAKH)

    first = withdraw(player, 40 * LAKH).withholding
    second = withdraw(player, 20 * LAKH).withholding

    assert (first.surcharge_bps, first.tax_minor) == (0, 12_48_000_00)
    assert (second.surcharge_bps, second.surcharge_minor) == (1_000, 60_000_00)
    assert (second.cess_minor, second.tax_minor) == (26_400_00, 6_86_400_00)
    assert row_findings() == ()


def test_a_declaration_counts_once_staff_have_accepted_it():
    player = living_in("IN", winnings=1000)
    row = declare(player)
    quote = quote_withdrawal(player=player, amount=Money(500, "INR"))

    assert (kind_now(player), quote.tax) == (RESIDENT, Money(150, "INR"))
    by = a_person("Identity")
    accept(row, by)

    assert kind_now(player) == NON_RESIDENT
    with pytest.raises(TaxChanged):
        withdraw(player, 500, tax=150)
    assert withdraw(player, 500).withholding.tax == Money(156, "INR")
    [entry] = acts().filter(act="accept_tax_residence")
    assert (entry.about_id, entry.by_id) == (player.pk, by.pk)
    assert accept(row, by).pk == row.pk, "again changes nothing"
    assert acts().filter(act="accept_tax_residence").count() == 1
    abroad = living_in("AE", winnings=1000)
    accept(declare(abroad, RESIDENT, "IN"))
    assert withdraw(abroad, 1000).withholding.tax == Money(300, "INR")


@pytest.mark.parametrize(
    ("decide", "text", "kind"),
    [
        (accept_residence, "is accepted and applies to tax withheld from now on.", NON_RESIDENT),
        (
            refuse_residence,
            "was refused. Your tax rate does not change. Our remark: TRC 2026/17",
            RESIDENT,
        ),
    ],
)
def test_a_decision_counts_and_is_notified_once(decide, text, kind):
    player, by = living_in("IN", winnings=1000), clerk()
    row = declare(player)
    assert not Notification.objects.not_of_decisions().exists()
    with pytest.raises(RemarkMissing):
        refuse_residence(residence_id=row.pk, by=by, reason=" ")

    for _ in range(2):
        decide(residence_id=row.pk, by=by, reason="TRC 2026/17")

    [notice] = Notification.objects.of_player(player)
    assert text_of(notice) == f"Your declaration of tax residence {text}"
    assert path_of(notice) == reverse("tax-residence")
    assert kind_now(player) == kind
    other = accept_residence if decide == refuse_residence else refuse_residence
    with pytest.raises(ResidenceDecided):
        other(residence_id=row.pk, by=by, reason="Another")


@pytest.mark.parametrize(("kind", "country"), [(RESIDENT, "AE"), (NON_RESIDENT, "IN")])
def test_kind_and_country_that_contradict_each_other_are_refused(kind, country):
    with pytest.raises(WrongResidence):
        declare(make_player(), kind, country)


@pytest.mark.django_db(transaction=True)
def test_one_of_two_concurrent_declarations_is_stored():
    player = make_player()

    def act():
        try:
            declare(player)
        except ResidencePending as refusal:
            return refusal.code
        return "kept"

    assert sorted(at_once([act, act])) == ["kept", "residence_pending"]
    assert TaxResidence.objects.count() == 1


def test_a_year_is_settled_by_the_residence_of_that_year():
    player = living_in("IN", winnings=1000)
    let_years_pass()
    accept(declare(player))

    settle_past_years(player=player, currency="INR")

    end = Withholding.objects.get(reason="year_end")
    assert (end.payee, end.tax_minor) == (RESIDENT, 300_00)
    assert kind_now(player) == NON_RESIDENT
    assert row_findings() == ()


def test_year_end_of_a_non_resident_takes_cess_from_the_balance():
    player = living_in("AE", winnings=1000)
    let_years_pass()

    [end] = settle_past_years(player=player, currency="INR")

    assert (end.payee, end.tax_minor, end.cess_minor) == (NON_RESIDENT, 312_00, 12_00)
    assert end.carried_minor == 688_00
    assert row_findings() == ()


def test_only_players_of_a_taxed_kind_are_settled():
    resident, abroad = living_in("IN", winnings=100), living_in("AE", winnings=100)
    let_years_pass()
    year = financial_year(site_day()) - 1
    assert {resident.pk, abroad.pk} <= set(players_to_settle(currency="INR", year=year))

    lay_down("tds", bps=0, treatment="none", starts_on=first_day(year))

    left = set(players_to_settle(currency="INR", year=year))
    assert abroad.pk in left
    assert resident.pk not in left


@pytest.mark.parametrize("available", [0, 1, 311, 312, 5_000, 31_199, 31_200, 99_999])
def test_taxed_part_is_the_most_that_the_balance_covers(available):
    rate, net = Rate(3_000, surcharge_bps=1_000, cess_bps=400), 1000_00
    taxed = coverable(net, rate, available)
    assert rate.of(taxed).total <= available
    assert taxed == net or rate.of(taxed + 1).total > available


def test_the_audit_finds_a_cess_that_does_not_follow_from_its_rate():
    withdraw(living_in("AE", winnings=1000), 1000)
    with undone():
        with unguarded(adopts=["wallet_withholding"]) as cursor:
            cursor.execute(
                "ALTER TABLE wallet_withholding DROP CONSTRAINT wallet_withholding_tax_half_up"
            )
            cursor.execute(
                "UPDATE wallet_withholding SET cess_minor = cess_minor - 1, surcharge_minor = 1"
            )
        assert "withholding_sum" in {finding.check for finding in row_findings()}
    with unguarded() as cursor:  # noqa: SIM117  The guards come back whatever the constraint says.
        with pytest.raises(IntegrityError, match="half_up"), transaction.atomic():
            cursor.execute("UPDATE wallet_withholding SET cess_minor = cess_minor - 1")


@pytest.mark.parametrize(
    "change",
    [
        {"state": "declared", "decided_at": None, "decided_by": None, "reason": ""},
        {"reason": "another"},
        {"state": "refused"},
    ],
)
def test_the_database_keeps_a_declaration_as_it_was_decided(change):
    row = accept(declare(make_player()))
    with pytest.raises(IntegrityError, match="never rewritten"), transaction.atomic():
        TaxResidence.objects.filter(pk=row.pk).update(**change)


def test_a_player_declares_on_a_page_and_sees_what_counts(client):
    player = living_in("IN", winnings=1000)
    client.force_login(player)

    before = client.get(reverse("tax-residence")).text
    unticked = client.post(reverse("tax-residence"), {"country": "AE"})
    client.post(reverse("tax-residence"), {"country": "AE", "is_true": "on"})
    waiting = client.get(reverse("tax-residence")).text
    accept(TaxResidence.objects.get())
    after = client.get(reverse("tax-residence")).text
    taxes = client.get(reverse("wallet-tax")).text
    withdraw(player, 1000)
    deduction = client.get(reverse("api-tax")).json()["deductions"][0]

    assert "Resident in India" in before
    assert unticked.status_code == 200
    assert "United Arab Emirates" in waiting
    assert "Our staff are reviewing your declaration" in waiting
    assert "Not resident in India" in after
    assert "4 % cess is added" in taxes
    assert deduction["payee"] == "non_resident"
    assert (deduction["cess"]["minor"], deduction["tax"]["minor"]) == (12_00, 312_00)
    assert own_data(player)["tax_residences"][0]["country"] == "AE"


def test_staff_decide_on_the_admins_page_and_others_do_not(client):
    row = declare(make_player())
    post = {"action": "accept", "_selected_action": [row.pk], "remark": "TRC 2026/17"}
    url = reverse("admin:wallet_taxresidence_changelist")

    client.force_login(a_person("Finance"))
    client.post(url, post)
    row.refresh_from_db()
    assert row.state == "declared"
    client.force_login(a_person("Identity"))
    client.post(url, post)

    row.refresh_from_db()
    assert (row.state, row.reason) == ("accepted", "TRC 2026/17")
