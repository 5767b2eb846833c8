"""Staff cancel games and void deals: the money by RB 7.7, the reason kept, everything once."""

import pytest
from django.urls import reverse

from players.exceptions import SharedInterest
from players.notifications.models import Notification
from rummy import PROFILES
from tables.exceptions import AnotherDeal, NotInPlay, NotRuled, TableHosted
from tables.integrity.moderation import rulings
from tables.integrity.moderation.models import Ruling
from tables.lobby.table_templates import profiles
from tables.models.deals import Deal
from tables.models.seats import Score
from tables.models.tables import Table
from tables.seats import hosted, seating
from tables.settlement import scoring
from tables.settlement.models import Result
from tests.amounts import first
from tests.builders.staff.previews import post_agreed
from tests.builders.tables.making import NO_PAUSES, make_game, make_player, make_rules, make_table
from tests.builders.tables.playing import at_once, deal_at, move, reread, seat_at
from tests.builders.tables.pools import let_time_pass, one_out, seat_no
from wallet.audit.audit import row_findings
from wallet.ledger.models import Account

pytestmark = pytest.mark.django_db


def make_staff(**rights):
    return make_player(is_staff=True, **rights)


def points_of(player):
    buckets = Account.objects.buckets_of(player).filter(currency="PTS")
    return sum(buckets.values_list("balance_minor", flat=True))


def players_of(table):
    return [seat.player for seat in table.seats.select_related("player").order_by("pk")]


def cancel(table):
    return rulings.cancel_game(table_id=table.pk, by=make_staff(), reason="Power cut")


def void(deal, **said):
    fields = {"by": make_staff(), "reason": "A card lay open"}
    return rulings.void_deal(deal_id=deal.pk, **(fields | said))


def check_money(table):
    assert Account.objects.get(pk=table.escrow_account_id).balance_minor == 0
    assert row_findings() == ()


def test_a_waiting_table_gives_every_entry_back():
    table = make_table(seats_max=3)
    player = make_player()
    before = points_of(player)
    seating.join(table_id=table.pk, player=player)

    ruling = cancel(table)

    assert (reread(table).phase, reread(table).ending) == (Table.Phase.CANCELLED, "cancelled")
    assert points_of(player) == before
    assert (ruling.kind, ruling.reason) == (Ruling.Kind.CANCEL, "Power cut")
    check_money(table)


@pytest.mark.parametrize("comes_and_goes", [False, True])
def test_an_empty_waiting_table_is_closed(comes_and_goes):
    table = make_table(seats_max=3)
    if comes_and_goes:
        seating.leave(seat_id=seating.join(table_id=table.pk, player=make_player()).pk)

    cancel(table)

    assert reread(table).phase == Table.Phase.CANCELLED
    check_money(table)


@pytest.mark.parametrize("profile", ["total-rummy-pool-101", "total-rummy-best-of-3"])
def test_who_left_in_a_void_first_deal_has_lost_nothing_until_one_is_scored(profile):
    rules = PROFILES[profile].with_(name="gap", **NO_PAUSES | {"gap_seconds": 60})
    table = make_game(players=4, rules=rules)
    before = [points_of(player) for player in players_of(table)]
    seating.leave(seat_id=seat_at(table, 1).pk)
    void(deal_at(table))

    cancel(table)

    assert [points_of(player) - 100_00 for player in players_of(table)] == before
    check_money(table)


@pytest.mark.parametrize("profile", first(1, ["total-rummy-pool-101", "total-rummy-best-of-6"]))
def test_once_a_deal_is_scored_a_leaver_of_a_void_one_has_lost_their_entry(profile):
    rules = PROFILES[profile].with_(name="no gap", **NO_PAUSES)
    table = make_game(players=4, rules=rules)
    leaver = seat_at(table, 1)
    before = {player.pk: points_of(player) for player in players_of(table)}
    seating.leave(seat_id=leaver.pk)
    void(deal_at(table))
    drop_out(table)

    cancel(table)

    back = {player.pk: points_of(player) - before[player.pk] for player in players_of(table)}
    assert back.pop(leaver.player_id) == 0
    assert list(back.values()) == [130_00] * 3
    check_money(table)


@pytest.mark.parametrize("moves", [(), ("drop",), ("ds",)])
def test_in_the_first_deal_every_entry_goes_back(moves, game_of_three):
    table = game_of_three
    before = [points_of(player) for player in players_of(table)]
    for text in moves:
        move(table, 1, text)

    cancel(table)

    assert [points_of(player) - 100_00 for player in players_of(table)] == before
    assert not Result.objects.filter(table=table).exists()
    assert deal_at(table).status == Deal.Status.VOID
    check_money(table)


def drop_out(table):
    """Everybody drops but the last: one deal, settled."""
    deal = deal_at(table)
    for position in range(1, deal.deal_seats.count()):
        move(table, position, "drop")
    scoring.settle_deal(deal_id=deal.pk)


@pytest.mark.parametrize("gap_seconds", first(1, [0, 10]))
def test_six_players_two_out_share_580_as_the_rulebook_says(gap_seconds):
    rules = make_rules(gap_seconds=gap_seconds, rejoin=False, split=False, auto_split=False)
    table = make_game(players=6, rules=rules)
    settle_with_two_out(table)
    before = {player.pk: points_of(player) for player in players_of(table)}

    cancel(table)

    won = sorted(points_of(player) - before[player.pk] for player in players_of(table))
    assert won == [0, 0, 145_00, 145_00, 145_00, 145_00]
    check_money(table)


def settle_with_two_out(table):
    """Two walk out in the first deal: their entries are lost when it is scored."""
    deal = deal_at(table)
    for position in (1, 2):
        seating.leave(seat_id=seat_at(table, position).pk)
    for position in (3, 4, 5):
        move(table, position, "drop")
    scoring.settle_deal(deal_id=deal.pk)


def test_a_game_without_players_ends_and_cannot_be_cancelled():
    table = one_out(rules=make_rules(gap_seconds=60))
    for number in (1, 2):
        seating.leave(seat_id=seat_no(table, number).pk)

    with pytest.raises(NotInPlay):
        cancel(table)
    let_time_pass(table)

    assert reread(table).phase == Table.Phase.FINISHED
    check_money(table)


def test_a_game_that_is_over_stays_paid(game_of_two):
    table = game_of_two
    seating.leave(seat_id=seat_at(table, 1).pk)
    scoring.settle_deal(deal_id=deal_at(table).pk)
    assert reread(table).phase == Table.Phase.FINISHED

    with pytest.raises(NotInPlay):
        cancel(table)

    assert not Ruling.objects.exists()


def test_staff_cannot_rule_on_a_game_of_their_own(game_of_three):
    table = game_of_three
    seat = seat_at(table, 2)
    rulings_of_his = [
        lambda: rulings.cancel_game(table_id=table.pk, by=seat.player, reason="Bad cards"),
        lambda: void(deal_at(table), by=seat.player),
    ]

    for rule in rulings_of_his:
        with pytest.raises(SharedInterest):
            rule()
    seating.leave(seat_id=seat.pk)
    with pytest.raises(SharedInterest):
        rulings_of_his[0]()

    assert reread(table).phase == Table.Phase.PLAYING
    assert not Ruling.objects.exists()


def test_a_tournaments_table_is_not_cancelled_alone():
    table = hosted.open_table(
        profile=profiles.register_profile(make_rules()),
        name="Hosted",
        owner_ref="tournament:1",
        players=[make_player(), make_player()],
        stop_at_survivors=1,
        currency="PTS",
        entry_minor=100,
        rake_bps=0,
    )

    with pytest.raises(TableHosted):
        cancel(table)


@pytest.mark.parametrize("profile", ["total-rummy-pool-101", "total-rummy-best-of-3"])
def test_a_void_deal_counts_for_nothing_and_another_follows(profile):
    rules = PROFILES[profile].with_(name=f"void {profile}", **NO_PAUSES)
    table = make_game(players=3, rules=rules)
    move(table, 1, "ds")

    void(deal_at(table))

    table = reread(table)
    one, two = table.deals.order_by("no")[:2]
    assert (one.status, two.status) == (Deal.Status.VOID, Deal.Status.PLAYING)
    assert (table.phase, table.deal_no) == (Table.Phase.PLAYING, 2)
    assert not Score.objects.exists()
    assert two.deal_seats.count() == 3


def test_a_deal_void_after_all_but_one_left_ends_the_game(game_of_three):
    table = game_of_three
    seating.leave(seat_id=seat_at(table, 1).pk)
    staying = seat_at(table, 3)
    seating.leave(seat_id=seat_at(table, 2).pk)

    deal = deal_at(table)
    ruling = void(deal)

    assert Result.objects.get(place=1).seat == staying
    assert void(deal) == ruling
    check_money(table)


def test_a_void_said_again_leaves_the_next_deal_alone(game_of_three):
    table = game_of_three
    deal = deal_at(table)

    ruling = void(deal)
    again = void(deal, reason="I have had no answer")

    table = reread(table)
    assert again == ruling
    assert (table.deal_no, deal_at(table).status) == (2, Deal.Status.PLAYING)
    assert [(row.deal, row.reason) for row in Ruling.objects.all()] == [(deal, "A card lay open")]


def test_a_deal_that_is_not_on_the_table_is_not_void(game_of_three):
    table = game_of_three
    drop_out(table)
    settled, live = table.deals.order_by("no")[:2]

    with pytest.raises(AnotherDeal) as refusal:
        void(settled)

    assert refusal.value.code == "another_deal"
    assert (deal_at(table), deal_at(table).status) == (live, Deal.Status.PLAYING)
    assert not Ruling.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_who_void_one_deal_at_once_void_no_other():
    table = make_game(players=3)
    deal, staff = deal_at(table), [make_staff(), make_staff()]

    rulings_made = at_once([lambda by=by: void(deal, by=by) for by in staff])

    table = reread(table)
    assert rulings_made[0] == rulings_made[1] == Ruling.objects.get()
    assert [row.status for row in table.deals.order_by("no")[:2]] == ["void", "playing"]
    assert table.deal_no == 2
    assert row_findings() == ()


def test_between_two_deals_there_is_nothing_to_void():
    table = make_game(players=3, rules=make_rules(gap_seconds=60))
    drop_out(table)

    with pytest.raises(NotInPlay):
        void(deal_at(table))


@pytest.mark.django_db(transaction=True)
def test_the_admin_carries_a_ruling_out_or_tells_why_not(client):
    client.force_login(make_staff(is_superuser=True))
    table = make_game(players=2)
    ask = {"table": table.pk, "kind": "cancel", "reason": "Power cut"}

    post_agreed(client, reverse("admin:tables_ruling_add"), ask)
    again = client.post(reverse("admin:tables_ruling_add"), ask, follow=True)

    assert reread(table).phase == Table.Phase.CANCELLED
    assert Ruling.objects.count() == 1
    assert "not_in_play" in again.text


def test_seated_players_are_notified_of_a_cancelled_game_with_the_reason(game_of_two):
    table = game_of_two

    cancel(table)

    shown = (
        Notification.objects.not_of_decisions()
        .order_by("player")
        .values_list("player__handle", "kind", "remark")
    )
    expected = sorted((player.pk, player.handle) for player in players_of(table))
    assert list(shown) == [(handle, "game_cancelled", "Power cut") for _pk, handle in expected]


def test_players_dealt_in_are_notified_of_a_void_deal(game_of_two):
    table = game_of_two

    void(deal_at(table), reason="A card was seen")

    assert set(Notification.objects.not_of_decisions().values_list("kind", "remark")) == {
        ("deal_void", "A card was seen")
    }
    assert Notification.objects.not_of_decisions().count() == 2


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)
def test_the_admin_leads_from_a_live_deal_to_its_void(client):
    client.force_login(make_staff(is_superuser=True))
    table = make_game(players=3)
    deal = deal_at(table)
    add = reverse("admin:tables_ruling_add")
    ask = {"table": table.pk, "kind": "void", "deal": deal.pk, "reason": "A card lay open"}

    listed = client.get(reverse("admin:tables_deal_changelist")).text
    offered = client.get(add, {"table": table.pk, "deal": deal.pk, "kind": "void"}).text
    client.post(add, ask)
    client.post(add, ask)
    late = client.post(add, ask | {"deal": deal_at(make_game(players=2)).pk})
    unnamed = client.post(add, ask | {"deal": ""})

    assert f"{add}?table={table.pk}&amp;deal={deal.pk}&amp;kind=void" in listed
    assert f'<option value="{deal.pk}" selected>' in offered
    assert "Choose a deal of this table." in late.text
    assert "Choose the deal." in unnamed.text
    assert Ruling.objects.get().deal == deal
    assert deal_at(table).status == Deal.Status.PLAYING


@pytest.mark.parametrize("phase", [Table.Phase.BETWEEN, Table.Phase.SETTLING])
def test_table_marked_as_cancelled_without_a_ruling_is_not_settled(game_of_two, phase):
    table = game_of_two
    Table.objects.filter(pk=table.pk).update(ending="cancelled", phase=phase, settlement_due=True)

    with pytest.raises(NotRuled):
        scoring.settle_table(table_id=table.pk)

    assert not reread(table).is_over
    assert Account.objects.get(pk=table.escrow_account_id).balance_minor > 0
