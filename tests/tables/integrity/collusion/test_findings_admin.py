"""The evidence page: figures, replays and money, for staff outside of the case alone."""

import pytest
from django.urls import reverse

from tables.integrity.collusion.models import Finding, FindingDecision, FindingFact
from tests.builders.staff.people import a_person
from tests.builders.staff.previews import post_agreed
from tests.builders.tables.disputes import complain
from tests.builders.tables.findings import make_cash_player, make_finding, won_game
from tests.builders.wallet.adjustments import make_staff

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful")]


def page(name, *args):
    return reverse(f"admin:tables_{name}", args=args)


@pytest.fixture
def case():
    people = [make_cash_player() for _ in range(4)]
    game = won_game(people, people[0])
    finding = make_finding(people[0], people[1])
    FindingFact.objects.create(
        finding=finding,
        kind="drops",
        giver=people[1],
        seen=30,
        cases=32,
        expected=9.5,
        base_seen=2_000,
        base_cases=8_000,
        z=6.25,
    )
    return finding, game, people


@pytest.mark.extended
def test_the_evidence_is_figures_beside_base_rates_replays_reports_and_money(client, case):
    finding, game, people = case
    deal = game.deals.get(no=1)
    report = complain(deal, player=people[2], ply=0, category="conduct", about=people[0].handle)
    client.force_login(make_staff())

    shown = client.get(page("finding_change", finding.pk)).content.decode()

    for text in (
        "30 of 32 (93.8%)",
        "9.5",
        "2000 of 8000 (25.0%)",
        "+6.2 (above threshold)",
        reverse("replay", args=[game.public_id, 1, 0]),
        str(report),
        "Ask for a decision",
    ):
        assert text in shown, text
    assert shown.replace("\xa0", " ").count("₹100.00") == 2
    assert 'name="_save"' not in shown


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)
def test_one_asks_and_another_carries_out_on_the_pages(client, case):
    finding, _game, people = case
    client.force_login(a_person("Operations"))
    form = {"finding": finding.pk, "outcome": "uphold", "reason": "Dropped too often"}
    client.post(page("findingdecision_add"), form)
    asked = FindingDecision.objects.get()

    client.force_login(a_person("Finance"))
    approve = {"action": "approve", "_selected_action": [asked.pk]}
    shown = post_agreed(client, page("findingdecision_changelist"), approve).text

    assert "Carried out" in shown
    finding.refresh_from_db()
    assert finding.status == "upheld"
    assert people[2].accounts.get(kind="winnings", currency="INR").balance_minor == 100_00
    row = client.get(page("findingdecision_change", asked.pk)).content.decode()
    assert people[2].handle in row


@pytest.mark.django_db(transaction=True)
def test_who_asks_does_not_carry_out(client, case):
    finding, *_ = case
    client.force_login(make_staff())
    form = {"finding": finding.pk, "outcome": "dismiss", "reason": "A household"}
    client.post(page("findingdecision_add"), form)
    asked = FindingDecision.objects.get()

    approve = {"action": "approve", "_selected_action": [asked.pk]}
    shown = client.post(page("findingdecision_changelist"), approve, follow=True).content.decode()

    assert "checker_is_maker" in shown
    assert Finding.objects.get().status == "open"


@pytest.mark.parametrize("place", [0, 1, 2])
def test_staff_do_not_see_cases_of_their_own_or_tables_they_share(client, case, place):
    finding, _game, people = case
    person = people[place]
    person.is_staff = person.is_superuser = True
    person.save()
    client.force_login(person)

    shown = client.get(page("finding_change", finding.pk))

    assert shown.status_code in (302, 403)
    assert client.get(page("finding_changelist")).context["cl"].result_count == 0


def test_staff_in_a_group_do_not_see_its_other_findings(client, case):
    finding, _game, people = case
    other = make_cash_player()
    make_finding(people[0], other, group_key=finding.group_key)
    other.is_staff = other.is_superuser = True
    other.save()
    client.force_login(other)

    assert client.get(page("finding_change", finding.pk)).status_code in (302, 403)
    assert client.get(page("finding_changelist")).context["cl"].result_count == 0
