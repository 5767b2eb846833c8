"""The nightly search finds pairs whose play is not explained by chance, once, and no others."""

import random
from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from bench.collusion.books import rows_of, write
from bench.collusion.people import Played, Sitting
from config.timetable import TIMETABLE
from tables.integrity.collusion import actions, counts
from tables.integrity.collusion.company import company
from tables.integrity.collusion.counts import Span
from tables.integrity.collusion.models import Finding, FindingDecision, FindingFact
from tables.integrity.collusion.statistics import Share, Sum
from tables.tasks import find_collusion
from tests.builders.staff.people import a_person, promote
from tests.builders.staff.previews import post_agreed
from tests.builders.tables.disputes import send_report
from tests.builders.tables.findings import make_cash_player, make_finding, won_game
from tests.builders.tables.making import make_player
from tests.builders.wallet.adjustments import make_staff

pytestmark = pytest.mark.django_db
FIRST_DAY = date(2026, 3, 1)
SPAN = Span(FIRST_DAY, FIRST_DAY + timedelta(days=27), "INR")
NOW = datetime(2026, 3, 29, tzinfo=UTC)
LOST, DROPPED = ("lost", 40), ("first_drop", 20)


def deal(*results):
    """A deal in which the first player won; the second took or left what the first threw away."""
    players = tuple(key for key, _result in results)
    moves = tuple((key, f"p{at} ds") for at, key in enumerate(players, 1))
    return Played(players, moves, tuple(result for _key, result in results))


def together(winner, loser, other, loses, times):
    """Return deals of three players: one wins, and one loses as specified."""
    return [deal((winner, ("won", 0)), (loser, loses), (other, LOST)) for _ in range(times)]


@pytest.fixture
def make_deals(owner):
    """Write what people of these keys played; each list of deals is one sitting."""

    def written(*sittings, networks=()):
        keys = sorted({key for deals in sittings for each in deals for key in each.players})
        users = {key: make_player() for key in keys}
        people = [
            Sitting(
                "",
                tuple(SimpleNamespace(key=key) for key in sorted({*deals[0].players})),
                len(deals),
            )
            for deals in sittings
        ]
        source = SimpleNamespace(chance=random.Random(1), networks=networks)
        with owner():
            write(rows_of(source, FIRST_DAY, users, people, sittings))
        return users

    return written


def at_random(seed, keys, number, *, drops=lambda loser, winner: 0.2):
    """Deals of three that each wins by chance, and the others drop at the given rate."""
    chance = random.Random(seed)
    deals = []
    for _ in range(number):
        winner, *losers = chance.sample(keys, 3)
        results = [
            (key, DROPPED if chance.random() < drops(key, winner) else LOST) for key in losers
        ]
        deals.append(deal((winner, ("won", 0)), *results))
    return deals


def strangers(first=10):
    firsts = (first, first + 10, first + 20)
    return [at_random(first, (first, first + 1, first + 2), 60) for first in firsts]


def dropping(*, to_others):
    """Player 2 always drops where player 1 wins, and so often where others do."""

    def drops(loser, winner):
        return 0.2 if loser != 2 else 1.0 if winner == 1 else to_others

    return (
        at_random("with", (1, 2, 3), 90, drops=drops),
        at_random("without", (2, 4, 5), 90, drops=drops),
        *strangers(),
    )


def test_player_who_drops_to_one_other_only_is_found_with_the_figures(make_deals):
    users = make_deals(*dropping(to_others=0.1))

    (finding,) = actions.find_pairs(span=SPAN, now=NOW)

    assert {finding.one, finding.other} == {users[1], users[2]}
    drops = finding.facts.get(kind="drops", giver=users[2])
    assert drops.seen == drops.cases > 20
    assert drops.z > finding.threshold
    assert drops.expected < 0.3 * drops.cases
    assert (drops.base_cases, drops.base_seen > drops.seen) == (2 * 5 * 60 + 2 * 60, True)


def test_group_of_three_is_found_as_three_pairs_of_one_group(make_deals):
    def drops(loser, winner):
        return 1.0 if {loser, winner} <= {1, 2, 3} else 0.1

    users = make_deals(
        at_random("group", (1, 2, 3), 90, drops=drops),
        *[at_random(one, (one, 10 * one, 10 * one + 1), 60) for one in (1, 2, 3)],
        *strangers(first=50),
    )

    found = actions.find_pairs(span=SPAN, now=NOW)

    group = {users[key] for key in (1, 2, 3)}
    assert {player for one in found for player in (one.one, one.other)} == group
    assert {one.group_key for one in found} == {min(player.pk for player in group)}
    assert len(found) == 3


def test_player_who_drops_to_everyone_is_not_found(make_deals):
    make_deals(*dropping(to_others=1.0))

    assert actions.find_pairs(span=SPAN, now=NOW) == []


def test_honest_players_of_one_network_are_not_found(make_deals):
    users = make_deals(at_random(1, (1, 2, 3), 60), *strangers(), networks=[(1, 2)])

    assert actions.find_pairs(span=SPAN, now=NOW) == []
    pair = tuple(sorted((users[1].pk, users[2].pk)))
    facts = {fact.kind: fact for _pair, fact in company(SPAN, [pair])}
    assert (facts["network"].seen, facts["network"].cases) == (1, 1)
    assert (facts["network"].base_seen, facts["network"].base_cases) == (1, 12)
    assert facts["joined"].seen == 1


def test_pair_is_found_once_for_the_same_deals(make_deals):
    make_deals(*dropping(to_others=0.1))
    (finding,) = actions.find_pairs(span=SPAN, now=NOW)

    again = actions.find_pairs(span=SPAN, now=NOW)
    next_night = Span(SPAN.first_day + timedelta(1), SPAN.last_day + timedelta(1), "INR")
    later = actions.find_pairs(span=next_night, now=NOW)

    assert again == later == []
    assert list(Finding.objects.all()) == [finding]
    with pytest.raises(IntegrityError, match="once_a_pair_and_span"), transaction.atomic():
        Finding.objects.create(
            one=finding.one,
            other=finding.other,
            currency="INR",
            first_day=SPAN.first_day,
            last_day=SPAN.last_day,
            group_key=1,
            tests=1,
            threshold=1,
            found_at=NOW,
        )


def test_other_days_and_currencies_do_not_count(make_deals):
    make_deals(*dropping(to_others=0.1))

    before = Span(FIRST_DAY - timedelta(days=28), FIRST_DAY - timedelta(days=1), "INR")

    assert actions.find_pairs(span=before, now=NOW) == []
    assert actions.find_pairs(span=Span(SPAN.first_day, SPAN.last_day, "EUR"), now=NOW) == []


def test_counts_are_by_pair_and_leave_out_deals_with_the_other(make_deals):
    users = make_deals(
        together(1, 2, 3, DROPPED, 12) + together(3, 2, 1, LOST, 2), together(50, 2, 51, LOST, 5)
    )

    with transaction.atomic():
        rows = {(row.giver, row.taker): row for row in counts.together(SPAN)}

    row = rows[users[2].pk, users[1].pk]
    assert row.seen[3].lost == Share(14, 14)
    assert row.seen[3].drops == Share(12, 12)
    assert row.seen[3].points == Sum(240, 12)
    assert row.own[3].lost == Share(5, 5)
    assert row.own[3].points == Sum(200, 5)
    assert rows[users[1].pk, users[2].pk].seen[3].lost == Share(2, 14)


def test_discards_count_where_the_next_player_had_the_choice(make_deals):
    taken = ((1, "p1 ds"), (1, "p1 x 7H"), (2, "p2 do"), (2, "p2 x 8H"), (1, "p1 ds +1200"))
    dropped = ((1, "p1 ds"), (1, "p1 x 7H"), (2, "p2 drop"))
    results = (("won", 0), LOST)
    users = make_deals(
        [Played((1, 2), taken, results)] * 20 + [Played((1, 2), dropped, results)] * 20
    )

    with transaction.atomic():
        rows = {(row.giver, row.taker): row.seen for row in counts.fed(SPAN)}
        at_base_rate = counts.base_fed(SPAN)

    assert rows == {
        (users[1].pk, users[2].pk): Share(20, 20),
        (users[2].pk, users[1].pk): Share(0, 20),
    }
    assert at_base_rate == Share(20, 40)


def test_number_of_queries_of_a_search_does_not_grow_with_players(make_deals):
    def asked():
        with CaptureQueriesContext(connection) as queries:
            actions.find_pairs(span=SPAN, now=NOW)
        return len(queries)

    make_deals(at_random(1, (1, 2, 3), 20))
    few = asked()
    make_deals(*[at_random(first, (first, first + 1, first + 2), 20) for first in range(10, 99, 3)])

    assert asked() == few


def test_search_is_a_nightly_task():
    assert TIMETABLE["find-collusion"]["task"] == find_collusion.name

    find_collusion()

    assert not Finding.objects.exists()


def page(name, *args):
    return reverse(f"admin:tables_{name}", args=args)


@pytest.fixture
def case(lawful):
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
    report = send_report(deal, player=people[2], handle=people[0].handle, ply=0)
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
    promote(person)
    client.force_login(person)

    assert client.get(page("finding_change", finding.pk)).status_code in (302, 403)
    shown = client.get(page("finding_changelist")).context["cl"]
    assert finding not in shown.queryset
