"""Rejoins in round 1: payment, freeze and refund by an abort."""

import runpy

import pytest
from django.urls import reverse
from django.utils import timezone

from rummy import PROFILES
from tests.builders.tables.making import NO_PAUSES, make_player, make_rules
from tests.builders.tables.playing import reread
from tests.builders.tables.pools import YES, say, score
from tests.builders.tables.straight_tables import straight_rules, win_by_waiting
from tests.builders.tournaments.outcomes import check_the_end, notified, points_of
from tests.builders.tournaments.played_contests import abort, with_late_entries
from tests.builders.tournaments.tournaments import (
    SHORT,
    again,
    enter,
    make_tournament,
    play_table,
    play_to_the_end,
    play_whole_table,
    start,
    tables_of,
    tick,
)
from tournaments.entries import admission
from tournaments.entries.models import Entry
from tournaments.lobby import registration
from tournaments.planning import timing
from tournaments.planning.models import Tournament
from tournaments.prizes import prize_pool
from wallet.audit.audit import row_findings
from wallet.exceptions import InsufficientFunds
from wallet.ledger.models import Account
from wallet.ledger.models import Entry as LedgerEntry
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db
ENTRIES, OUT = 4, 101


@pytest.fixture
def tournament(request):
    """Four players at one table with two qualifiers; the last is eliminated and may rejoin.

    A parameter is the guarantee.
    """
    tournament = make_tournament(
        rules=make_rules(gap_seconds=60),
        rejoins=True,
        seats=ENTRIES,
        qualify=2,
        final_seats=2,
        guarantee_minor=getattr(request, "param", 1_000_00),
        prize_bps=[10_000],
    )
    enter(tournament, ENTRIES)
    tournament = start(tournament)
    [table] = tables_of(tournament)
    score(table, 0, 10, 20, OUT)
    return tournament


def the_table(tournament):
    return reread(tournament.rounds.get(no=1).round_tables.get().table)


@pytest.mark.extended
@pytest.mark.parametrize(
    ("tournament", "prize", "overlay"),
    [(1_000_00, 1_000_00, 550_00), (ENTRIES * 90_00 + 1, 450_00, 0)],
    indirect=["tournament"],
)
def test_rejoin_reduces_the_overlay(tournament, prize, overlay):
    assert tournament.overlay_minor == tournament.guarantee_minor - ENTRIES * 90_00

    say(the_table(tournament), 4, YES)
    play_table(the_table(tournament))
    tournament = tick(tournament)

    assert tournament.frozen_at is not None
    assert (tournament.prize_minor, tournament.overlay_minor) == (prize, overlay)
    tournament = play_to_the_end(tournament)
    check_the_end(tournament)
    assert Stake.objects.filter(escrow=tournament.escrow_account, status="settled").count() == 5


def test_abort_in_round_1_refunds_entries_rejoins_and_overlay(tournament):
    players = [entry.player for entry in tournament.entries.order_by("pk")]
    before = [points_of(player) for player in players]
    say(the_table(tournament), 4, YES)
    rejoined = the_table(tournament).seats.get(number=4).player

    tournament = abort(tournament)

    assert tournament.state == "aborted"
    assert not tables_of(tournament)
    assert notified("tournament_called_off") == [(player.pk, "") for player in players]
    # The rejoin was paid after `before`; it is refunded with the entry.
    assert [points_of(player) - had for player, had in zip(players, before, strict=True)] == [
        100_00
    ] * ENTRIES
    assert set(Stake.objects.of_player(rejoined).values_list("status", flat=True)) == {"refunded"}
    assert Account.objects.get(pk=tournament.escrow_account_id).balance_minor == 0
    guarantee = Account.objects.get(kind=Account.Kind.GUARANTEE, currency="PTS")
    assert guarantee.balance_minor == 0
    assert row_findings() == ()


def test_rejoin_without_money_eliminates_the_player(tournament):
    table = the_table(tournament)
    player = table.seats.get(number=4).player
    elsewhere = make_tournament(entry_minor=points_of(player))
    registration.register(tournament_id=elsewhere.pk, player=player)

    with pytest.raises(InsufficientFunds):
        say(table, 4, YES)

    assert Stake.objects.filter(escrow=tournament.escrow_account).count() == ENTRIES
    play_table(the_table(tournament))
    tournament = tick(tournament)
    assert tournament.entries.get(player=player).state == "out"
    check_the_end(play_to_the_end(tournament))


PRIZES = [701_19, 467_46, 280_48, 216_20, 175_30, 146_08, 122_71, 99_33, 75_96, 52_59]
ODD_UNIT = [*PRIZES[:2], 224_00, 223_99, 223_99, *PRIZES[5:]]


@pytest.fixture
def field_of_53():
    """Fifty-three paid entries of a running tournament, drawn against the order of registration."""
    tournament = make_tournament(
        entry_minor=49_00, rake_bps=1_000, entrants_max=60, seats=6, final_seats=6, qualify=2
    )
    for number in range(53, 0, -1):
        entry = Entry.objects.create(
            tournament=tournament, player=make_player(), state=Entry.State.WAITING
        )
        admission.pay(tournament, entry)
        entry.draw_no, entry.state = number, Entry.State.PLAYING
        entry.save(update_fields=["draw_no", "state"])
    tournament.state = Tournament.State.RUNNING
    timing.save(tournament)
    return again(tournament)


@pytest.mark.parametrize(
    ("places", "best"),
    [
        pytest.param(range(1, 54), PRIZES, marks=pytest.mark.extended, id="no ties"),
        # 671.98 for three: the odd unit goes to the first of the draw.
        pytest.param([1, 2, 3, 3, 3, *range(6, 54)], ODD_UNIT, id="tie with an odd unit"),
    ],
)
def test_frozen_pool_of_53_entrants_pays_ten_places(field_of_53, places, best):
    tournament = field_of_53
    prize_pool.freeze(tournament, timezone.now())
    frozen_at = tournament.frozen_at
    prize_pool.freeze(tournament, timezone.now())
    entries = list(tournament.entries.order_by("draw_no"))
    for entry, place in zip(entries, places, strict=True):
        entry.place, entry.tied = place, list(places).count(place)
    Entry.objects.bulk_update(entries, ["place", "tied"])

    prize_pool.pay(tournament)
    timing.save(tournament)

    assert (tournament.prize_minor, tournament.frozen_at) == (2337_30, frozen_at)
    assert list(tournament.prizes.values_list("amount_minor", flat=True)) == PRIZES
    paid = tournament.entries.order_by("draw_no").values_list("prize_minor", flat=True)
    assert list(paid) == best + [0] * 43
    posted = LedgerEntry.objects.filter(transfer__key=f"finish:{tournament.owner_ref}")
    won = posted.filter(account__kind=Account.Kind.WINNINGS)
    assert sorted(won.values_list("amount_minor", flat=True), reverse=True) == best
    assert posted.get(account__kind=Account.Kind.RAKE).amount_minor == 53 * 4_90
    assert Account.objects.get(pk=tournament.escrow_account_id).balance_minor == 0
    assert row_findings() == ()


def test_guarantee_is_paid_by_the_operator():
    tournament = make_tournament(guarantee_minor=1000_00)
    enter(tournament, 5)

    tournament = play_to_the_end(start(tournament))

    assert (tournament.prize_minor, tournament.overlay_minor) == (1000_00, 1000_00 - 5 * 90_00)
    guarantee_account = Account.objects.get(kind=Account.Kind.GUARANTEE, currency="PTS")
    assert guarantee_account.balance_minor == -tournament.overlay_minor
    check_the_end(tournament)


@pytest.mark.extended
def test_ties_share_the_prizes_of_the_places_they_cover():
    # Three first drops eliminate a player; losers of all tables have the same total.
    rules = make_rules(**SHORT | {"first_drop": 40})
    tournament = make_tournament(prize_bps=[4000, 3000, 2000, 1000], final_seats=2, rules=rules)
    enter(tournament, 6)

    tournament = play_to_the_end(start(tournament), play_whole_table)

    check_the_end(tournament)
    third = tournament.entries.filter(place=3)  # Both losers of both tables have the same total.
    shares = list(third.values_list("prize_minor", flat=True))
    assert shares == [tournament.prize_minor * (2000 + 1000) // 10_000 // 4] * 4


@pytest.mark.extended
@pytest.mark.parametrize(
    "game",
    [
        pytest.param({"base": "total-rummy-best-of-2"}, marks=pytest.mark.soak),
        {"base": "total-rummy-points", "game": "deals", "deals": 2, "chips": 160},
    ],
)
def test_chips_decide_where_deals_or_points_are_played(game):
    base = PROFILES[game.pop("base")]
    rules = base.with_(name=f"{base.name} in a tournament", **NO_PAUSES, **game)
    tournament = make_tournament(rules=rules)
    enter(tournament, 4)

    tournament = play_to_the_end(start(tournament), play_whole_table)

    check_the_end(tournament)
    for table in tournament.rounds.get(no=1).round_tables.all():
        seatings = list(table.seatings.order_by("place"))
        assert [s.total for s in seatings] == sorted((s.total for s in seatings), reverse=True)
        assert sum(s.total for s in seatings) == rules.chips * len(seatings)


@pytest.mark.extended
@pytest.mark.parametrize("house_rules", [(), ("penalty scoring", "bonus instead of double")])
def test_straight_rummy_tournament_qualifies_by_places(house_rules):
    def play(table):
        while not reread(table).is_over:
            win_by_waiting(table, 2)
        return reread(table)

    rules = straight_rules("straight", *house_rules, target=1)
    tournament = make_tournament(rules=rules, seats=2, qualify=1, final_seats=2)
    enter(tournament, 4)

    tournament = play_to_the_end(start(tournament), play)

    check_the_end(tournament)
    for table in tournament.rounds.get(no=1).round_tables.all():
        first, second = table.seatings.order_by("place")
        assert (first.total > second.total) is (not house_rules)
        assert (first.qualified, second.qualified) == (True, False)


faults = runpy.run_path("docs/examples/check_draw.py")["faults"]


@pytest.mark.extended
def test_the_documented_program_repeats_the_draw_and_detects_an_altered_one(client):
    tournament = with_late_entries()
    page = client.get(reverse("tournament-draw", args=[tournament.public_id])).text
    draw = client.get(reverse("tournament-draw-api", args=[tournament.public_id])).json()

    assert (len(draw["order"]), len(draw["late"])) == (7, 3)
    assert faults(draw) == []
    first, second, *others = draw["order"]
    assert faults(draw | {"order": [second, first, *others]}) == ["This seed draws another order."]
    assert len(faults(draw | {"seed": "00" * 32})) == 2
    assert faults(draw | {"order": [*draw["order"], draw["late"][0]]})
    # The tables follow from the order; late entries have one of their own.
    ids, late = ([entry["entry"] for entry in draw[name]] for name in ("order", "late"))
    tables = tournament.rounds.get().round_tables.order_by("no")
    seated = [set(table.seatings.values_list("entry__public_id", flat=True)) for table in tables]
    assert [set(map(str, table)) for table in seated] == [
        *(set(ids[start::3]) for start in range(3)),
        set(late),
    ]
    drawn, _, latecomers = page.partition("Late entries")
    for entry in Entry.objects.select_related("player"):
        assert entry.player.handle in (latecomers if entry.is_late else drawn)
