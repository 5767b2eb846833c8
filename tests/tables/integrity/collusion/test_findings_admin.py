"""The evidence page: figures, replays and money, only for staff not involved in the case."""

import pytest
from django.urls import reverse

from tables.integrity.collusion.models import FindingDecision, FindingFact
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
def test_evidence_page_shows_figures_base_rates_replays_reports_and_money(client, case):
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
def test_decision_is_requested_and_carried_out_in_the_admin(client, case):
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


@pytest.mark.parametrize("who", ["one of the pair", "the other", "a victim", "of the same group"])
def test_staff_do_not_see_findings_that_concern_them(client, case, who):
    finding, _game, people = case
    linked = make_cash_player()
    make_finding(people[0], linked, group_key=finding.group_key)
    person = dict(zip(("one of the pair", "the other", "a victim"), people, strict=False)).get(
        who, linked
    )
    person.is_staff = person.is_superuser = True
    person.save()
    client.force_login(person)

    assert client.get(page("finding_change", finding.pk)).status_code in (302, 403)
    shown = client.get(page("finding_changelist")).context["cl"]
    assert finding not in shown.queryset
