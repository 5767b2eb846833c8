"""A ruling of two people voids a pair's prizes and refunds who lost by them, exactly and once."""

from contextlib import nullcontext
from datetime import timedelta
from functools import partial

import pytest
from django.db import IntegrityError, ProgrammingError, connection, transaction

from core.exceptions import AlreadyDecided, CheckerIsMaker
from core.models import AuditEntry
from players.exceptions import SharedInterest
from tables.exceptions import AlreadyAsked, FactsChanged, ReasonMissing
from tables.integrity.collusion import decisions
from tables.integrity.collusion.models import Finding, FindingDecision, FindingFact, VoidedPrize
from tables.seats import seating
from tests.builders.people.regions import open_region
from tests.builders.processes.threads import at_once
from tests.builders.staff.people import promote
from tests.builders.tables.findings import make_cash_player, make_finding, points_game, won_game
from tests.builders.tables.making import make_table
from tests.builders.tables.points_tables import play_deal
from tests.builders.tables.shared import shared
from tests.builders.wallet.adjustments import make_staff
from tests.builders.wallet.players import fund
from wallet.audit import freezes
from wallet.audit.audit import row_findings
from wallet.corrections.models import RestitutionLine
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db


def held(player):
    """What a player has and owes, in minor units."""
    mine = Account.objects.of_player(player).filter(currency="INR", balance_minor__lt=10**9)
    kinds = ("deposit", "winnings", "receivable")
    found = dict(mine.filter(kind__in=kinds).values_list("kind", "balance_minor"))
    return tuple(found.get(kind, 0) for kind in kinds)


def make_case():
    """Two who play together, and two victims, of one game of four that the first has won."""
    people = [make_cash_player() for _ in range(4)]
    game = won_game(people, people[0])
    return *people, game, make_finding(people[0], people[1])


@shared
def case():
    open_region("IN-KA")
    return make_case()


def ask(finding, *, by=None, outcome="uphold"):
    return decisions.ask_decision(
        finding_id=finding.pk, outcome=outcome, reason="Dropped too often", by=by or make_staff()
    )


def approve(decision, by=None):
    return decisions.approve_decision(decision_id=decision.pk, by=by or make_staff())


def test_upheld_finding_voids_prizes_and_refunds_victims_exactly(case):
    winner, partner, *victims, game, finding = case
    assert held(winner) == (900_00, 360_00, 0)

    decided = approve(ask(finding))

    assert held(winner) == (900_00, 160_00, 0)
    assert held(partner) == (900_00, 0, 0)
    assert [held(victim) for victim in victims] == [(900_00, 100_00, 0)] * 2
    transfer = decided.restitution.transfer
    assert (transfer.kind, transfer.document) == ("restitution", "restitution")
    assert transfer.entry_count == 3
    finding.refresh_from_db()
    assert finding.status == "upheld"
    assert list(VoidedPrize.objects.values_list("table", "deal")) == [(game.pk, None)]
    assert not row_findings()


def test_amount_the_pair_no_longer_holds_becomes_a_debt(case):
    winner, _partner, *victims, _game, finding = case
    mine = accounts.open_player_accounts(player=winner, currency="INR")
    operator = accounts.operator_account(kind=Account.Kind.GATEWAY_CLEARING, currency="INR")
    posting.post(
        key="gone",
        kind="adjustment",
        entries=[(mine["deposit"], -850_00), (mine["winnings"], -300_00), (operator, 1150_00)],
    )

    approve(ask(finding))

    assert held(winner) == (0, 0, -90_00)
    assert [held(victim) for victim in victims] == [(900_00, 100_00, 0)] * 2
    assert not row_findings()


def test_restitution_takes_nothing_from_a_frozen_account(case):
    winner, _partner, *_victims, _game, finding = case
    winnings = accounts.open_player_accounts(player=winner, currency="INR")["winnings"]
    freezes.freeze_account(account=winnings, reason="Asked for", by=make_staff())

    approve(ask(finding))

    assert held(winner) == (700_00, 360_00, 0)


@pytest.mark.usefixtures("lawful")
def test_a_points_table_is_refunded_deal_by_deal():
    one, other, victim = people = [make_cash_player() for _ in range(3)]
    table = points_game(people)
    order = table.deals.get(no=1).deal_seats.order_by("position").values_list("seat__player")
    points = {one.pk: 0, other.pk: 40, victim.pk: 30}
    play_deal(table, *(points[player] for (player,) in order))
    finding = make_finding(one, other)

    decision = ask(finding)

    lines = dict(decision.restitution.lines.values_list("player", "amount_minor"))
    assert lines == {one.pk: -30_00, victim.pk: 30_00}
    approve(decision)
    assert held(one)[:2] == (770_00, 0)
    assert VoidedPrize.objects.get().deal == table.deals.get(no=1)


def test_players_linked_with_the_pair_are_not_refunded(case):
    winner, partner, third, victim, _game, finding = case
    make_finding(winner, third, group_key=finding.group_key)

    approve(ask(finding))

    assert held(third) == (900_00, 0, 0)
    assert held(victim) == (900_00, 100_00, 0)
    assert held(winner) == (900_00, 260_00, 0)
    assert held(partner) == (900_00, 0, 0)


@pytest.mark.usefixtures("lawful")
def test_game_won_by_a_victim_keeps_its_prize():
    people = [make_cash_player() for _ in range(4)]
    won_game(people, people[3])
    finding = make_finding(people[0], people[1])

    decided = approve(ask(finding))

    assert decided.restitution is None
    assert not Transfer.objects.filter(kind="restitution").exists()
    finding.refresh_from_db()
    assert finding.status == "upheld"


def test_rejected_and_dismissing_decisions_move_no_money(case):
    winner, *_others, finding = case

    decisions.reject_decision(decision_id=ask(finding).pk, by=make_staff())
    approve(ask(finding, outcome="dismiss"))

    finding.refresh_from_db()
    assert (finding.status, held(winner)) == ("dismissed", (900_00, 360_00, 0))
    assert not VoidedPrize.objects.exists()


def test_decision_needs_a_reason_and_another_person_and_is_carried_out_once(case):
    winner, *_others, finding = case
    maker, checker = make_staff(), make_staff()
    with pytest.raises(ReasonMissing):
        decisions.ask_decision(finding_id=finding.pk, outcome="dismiss", reason=" ", by=maker)
    decision = ask(finding, by=maker)

    with pytest.raises(CheckerIsMaker):
        approve(decision, by=maker)
    with pytest.raises(AlreadyAsked):
        ask(finding)
    approve(decision, by=checker)
    approve(decision, by=checker)
    with pytest.raises(AlreadyDecided):
        decisions.reject_decision(decision_id=decision.pk, by=checker)

    assert held(winner) == (900_00, 160_00, 0)
    assert Transfer.objects.filter(kind="restitution").count() == 1
    acts = AuditEntry.objects.filter(kind="tables.findingdecision").values_list("act", "by")
    assert set(acts) == {("ask", maker.pk), ("approve", checker.pk)}


def test_staff_cannot_decide_on_their_own_cases_or_on_players_of_a_shared_game(case):
    winner, partner, victim, _other, _game, finding = case
    decision, rival = ask(finding), make_staff()
    table = make_table(seats_min=3, seats_max=3)
    for person in (rival, victim):
        fund(person, deposit=100_00, currency="PTS")
        seating.join(table_id=table.pk, player=person)
    for person in (winner, partner, victim):
        promote(person)

    for person in (winner, partner, victim, rival):
        for act in (
            partial(approve, decision, by=person),
            partial(ask, finding, by=person, outcome="dismiss"),
            partial(decisions.reject_decision, decision_id=decision.pk, by=person),
        ):
            with pytest.raises(SharedInterest):
                act()

    assert held(winner) == (900_00, 360_00, 0)
    approve(decision)


def test_later_finding_does_not_void_a_prize_again(case):
    winner, partner, third, _victim, _game, finding = case
    later = make_finding(winner, third, first_day=finding.first_day - timedelta(days=1))
    decision = ask(later)
    approve(ask(finding))

    with pytest.raises(FactsChanged):
        approve(decision)
    decisions.reject_decision(decision_id=decision.pk, by=make_staff())
    again = ask(later)

    assert again.restitution is None
    assert held(winner) == (900_00, 160_00, 0)
    assert held(partner) == (900_00, 0, 0)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("lawful")
def test_concurrent_rulings_on_one_game_void_its_prize_once():
    winner, _partner, third, _victim, _game, finding = make_case()
    later = make_finding(winner, third, first_day=finding.first_day - timedelta(days=1))
    asked = [ask(finding), ask(later)]

    answers = at_once([partial(approve, one, by=make_staff()) for one in asked])

    refused = [one for one in answers if isinstance(one, FactsChanged)]
    assert len(refused) == 1, answers
    assert held(winner) == (900_00, 160_00, 0)
    assert VoidedPrize.objects.count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("lawful")
def test_ruling_interrupted_at_any_point_is_carried_out_once(faults):
    winner, *_others, finding = make_case()
    decision, checker = ask(finding), make_staff()

    faults.take("approve", partial(approve, decision, by=checker))

    assert faults.deaths["approve"] > 4
    assert held(winner) == (900_00, 160_00, 0)
    assert Transfer.objects.filter(kind="restitution").count() == 1
    assert not row_findings()


def test_decided_ruling_cannot_be_changed(owner, case):
    """Neither the application nor the owner of the schema can change it."""
    *_people, finding = case
    decided = approve(ask(finding))
    rows, findings = (type(row).objects.filter(pk=row.pk) for row in (decided, finding))
    for rewrite in (
        partial(decided.restitution.lines.update, amount_minor=1),
        partial(findings.update, group_key=1),
        VoidedPrize.objects.all().delete,
    ):
        with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
            rewrite()

    undecided = {"status": "requested", "checked_by": None, "checked_at": None}
    for role in (nullcontext, owner):
        for rewrite in (
            partial(rows.update, **undecided),
            partial(rows.update, status="rejected"),
            partial(findings.update, status="open"),
        ):
            with role(), pytest.raises(IntegrityError, match="decided once"), transaction.atomic():
                rewrite()
    with owner(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for model in (VoidedPrize, FindingDecision, FindingFact, Finding):
            with pytest.raises(IntegrityError, match="is refused"), transaction.atomic():
                cursor.execute(f"TRUNCATE {model._meta.db_table} CASCADE")
    with owner(), pytest.raises(IntegrityError, match="is refused"), transaction.atomic():
        VoidedPrize.objects.all().delete()


def test_requested_or_decided_restitution_takes_no_further_line(case):
    *_people, finding = case
    decision = ask(finding)

    for step in (nullcontext, partial(approve, decision)):
        step()
        with pytest.raises(IntegrityError, match="with its lines"), transaction.atomic():
            RestitutionLine.objects.create(
                restitution=decision.restitution, player=make_cash_player(), amount_minor=1
            )

    assert not row_findings()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("lawful")
def test_concurrent_approval_and_rejection_decide_once():
    winner, *_others, finding = make_case()
    decision, checkers = ask(finding), [make_staff(), make_staff()]

    answers = at_once(
        [
            partial(approve, decision, by=checkers[0]),
            partial(decisions.reject_decision, decision_id=decision.pk, by=checkers[1]),
        ]
    )

    assert [type(answer) for answer in answers].count(AlreadyDecided) == 1
    decision.refresh_from_db()
    taken = 200_00 if decision.status == "approved" else 0
    assert held(winner) == (900_00, 360_00 - taken, 0)
    assert not row_findings()
