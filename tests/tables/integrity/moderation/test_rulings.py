"""Staff cancel games and void deals: money by RB 7.7, stored reason, each effect once."""

import pytest
from django.urls import reverse

import rummy
from players.exceptions import SharedInterest
from players.notifications.models import Notification
from rummy import PROFILES
from rummy.history import files as history
from tables.exceptions import AnotherDeal, NotInPlay, NotRuled, TableHosted
from tables.history.replay import replay
from tables.integrity.moderation import rulings
from tables.integrity.moderation.dispute_models import Dispute
from tables.integrity.moderation.models import Ruling
from tables.lobby.table_templates import profiles
from tables.models.deals import Deal
from tables.models.seats import Score
from tables.models.tables import Table
from tables.seats import hosted, seating
from tables.settlement import scoring
from tables.settlement.models import Result
from tables.state.fold import fold_of
from tables.view.table_view import table_view
from tests.builders.staff.previews import post_agreed
from tests.builders.tables.deals import settle
from tests.builders.tables.disputes import complain
from tests.builders.tables.making import NO_PAUSES, make_game, make_player, make_rules, make_table
from tests.builders.tables.playing import at_once, deal_at, move, reread, seat_at
from tests.builders.tables.pools import let_time_pass, one_out, seat_no
from tests.builders.tables.straight_tables import make_straight_game
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


def notified():
    shown = Notification.objects.not_of_decisions()
    return set(shown.values_list("player", "kind", "remark"))


def check_money(table):
    assert Account.objects.get(pk=table.escrow_account_id).balance_minor == 0
    assert row_findings() == ()


@pytest.mark.parametrize("players", ["none", "one who left", "one"])
def test_cancelled_waiting_table_refunds_every_entry(players):
    table, player = make_table(seats_max=3), make_player()
    before = points_of(player)
    if players != "none":
        seat = seating.join(table_id=table.pk, player=player)
        if players == "one who left":
            seating.leave(seat_id=seat.pk)

    ruling = cancel(table)

    assert (reread(table).phase, reread(table).ending) == (Table.Phase.CANCELLED, "cancelled")
    assert points_of(player) == before
    assert (ruling.kind, ruling.reason) == (Ruling.Kind.CANCEL, "Power cut")
    check_money(table)


@pytest.mark.parametrize("profile", ["total-rummy-pool-101", "total-rummy-best-of-3"])
def test_leaver_of_a_void_first_deal_is_refunded_before_a_deal_is_scored(profile):
    rules = PROFILES[profile].with_(name="gap", **NO_PAUSES | {"gap_seconds": 60})
    table = make_game(players=4, rules=rules)
    before = [points_of(player) for player in players_of(table)]
    seating.leave(seat_id=seat_at(table, 1).pk)
    void(deal_at(table))

    cancel(table)

    assert [points_of(player) - 100_00 for player in players_of(table)] == before
    check_money(table)


@pytest.mark.parametrize("profile", ["total-rummy-pool-101", "total-rummy-best-of-6"])
def test_leaver_of_a_void_deal_loses_the_entry_once_a_deal_is_scored(profile):
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
def test_game_cancelled_in_the_first_deal_refunds_and_notifies_every_player(moves, game_of_three):
    table = game_of_three
    before = [points_of(player) for player in players_of(table)]
    for text in moves:
        move(table, 1, text)

    cancel(table)

    assert [points_of(player) - 100_00 for player in players_of(table)] == before
    assert not Result.objects.filter(table=table).exists()
    assert deal_at(table).status == Deal.Status.VOID
    assert notified() == {
        (player.pk, "game_cancelled", "Power cut") for player in players_of(table)
    }
    check_money(table)


def drop_out(table):
    """Everybody drops but the last: one deal, settled."""
    deal = deal_at(table)
    for position in range(1, deal.deal_seats.count()):
        move(table, position, "drop")
    scoring.settle_deal(deal_id=deal.pk)


def test_game_without_players_ends_and_cannot_be_cancelled():
    table = one_out(rules=make_rules(gap_seconds=60))
    for number in (1, 2):
        seating.leave(seat_id=seat_no(table, number).pk)

    with pytest.raises(NotInPlay):
        cancel(table)
    let_time_pass(table)

    assert reread(table).phase == Table.Phase.FINISHED
    check_money(table)


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


def test_table_of_a_tournament_cannot_be_cancelled_alone():
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
def test_void_deal_is_not_scored_and_another_follows(profile):
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
    reason = "A card lay open"
    assert notified() == {(player.pk, "deal_void", reason) for player in players_of(table)}


def test_deal_voided_after_all_but_one_left_ends_the_game(game_of_three):
    table = game_of_three
    seating.leave(seat_id=seat_at(table, 1).pk)
    staying = seat_at(table, 3)
    seating.leave(seat_id=seat_at(table, 2).pk)

    deal = deal_at(table)
    ruling = void(deal)

    assert Result.objects.get(place=1).seat == staying
    assert void(deal) == ruling
    check_money(table)


def test_only_the_deal_in_progress_can_be_voided():
    table = make_game(players=3, rules=make_rules(gap_seconds=60))
    drop_out(table)
    settled = deal_at(table)

    with pytest.raises(NotInPlay):
        void(settled)
    let_time_pass(table)
    assert reread(table).deal_no == 2
    with pytest.raises(AnotherDeal) as refusal:
        void(settled)

    assert refusal.value.code == "another_deal"
    assert deal_at(table).status == Deal.Status.PLAYING
    assert not Ruling.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_concurrent_and_repeated_voids_of_a_deal_void_no_other():
    table = make_game(players=3)
    deal, staff = deal_at(table), [make_staff(), make_staff()]

    rulings_made = at_once([lambda by=by: void(deal, by=by) for by in staff])
    assert void(deal, reason="No answer yet") == rulings_made[0]

    table = reread(table)
    assert rulings_made[0] == rulings_made[1] == Ruling.objects.get()
    assert Ruling.objects.get().reason == "A card lay open"
    assert [row.status for row in table.deals.order_by("no")[:2]] == ["void", "playing"]
    assert table.deal_no == 2
    assert row_findings() == ()


@pytest.mark.django_db(transaction=True)
def test_admin_form_carries_out_a_ruling_or_shows_the_refusal(client):
    client.force_login(make_staff(is_superuser=True))
    table = make_game(players=2)
    ask = {"table": table.pk, "kind": "cancel", "reason": "Power cut"}
    url = f"{reverse('admin:tables_ruling_add')}?table={table.pk}&kind=cancel"

    form = client.get(url).context["adminform"].form
    post_agreed(client, url, ask)
    again = client.post(url, ask, follow=True)

    assert (form.initial["table"], form.initial["kind"]) == (str(table.pk), "cancel")
    assert reread(table).phase == Table.Phase.CANCELLED
    assert Ruling.objects.count() == 1
    assert "not_in_play" in again.text


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)
def test_admin_list_of_deals_links_to_the_form_that_voids_a_deal(client):
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


def melded(table):
    """Draw and discard until a player lays a meld; return the move's ply and position."""
    while True:
        state = fold_of(deal_at(table)).state
        legal = rummy.straight.legal_moves(state, state.to_act)
        melds = [each for each in legal if isinstance(each, rummy.Meld)]
        if melds:
            move(table, state.to_act, melds[0].text)
            return deal_at(table).moves.latest("ply").ply, state.to_act
        kind = rummy.Draw if state.drawn is None else rummy.Discard
        move(table, state.to_act, next(each for each in legal if isinstance(each, kind)).text)


def test_a_disputed_meld_is_shown_at_its_step():
    table = make_straight_game(2, target=1)
    ply, position = melded(table)
    seating.leave(seat_id=seat_at(table, 2).pk)
    deal = settle(table)

    complain(deal, ply=ply)

    kept = Dispute.objects.get()
    assert kept.ply == ply
    assert history.loads(kept.evidence).rules.family == "straight"
    shown = replay(deal, make_player(is_staff=True))
    assert shown.moves[ply - 1].action == "meld"
    assert shown.steps[ply].hands[position - 1].laid
    assert f"p{position} meld" in kept.evidence


def test_a_void_deal_with_melds_on_the_table_scores_no_one():
    table = make_straight_game(3)
    before = [points_of(player) for player in players_of(table)]
    melded(table)
    assert table_view(reread(table), None).deal.melds

    rulings.void_deal(deal_id=deal_at(table).pk, by=make_player(is_staff=True), reason="A card")

    table = reread(table)
    one, two = table.deals.order_by("no")[:2]
    assert (one.status, two.status) == (Deal.Status.VOID, Deal.Status.PLAYING)
    assert not Score.objects.exists()
    assert list(table_view(table, None).deal.melds) == []

    rulings.cancel_game(table_id=table.pk, by=make_player(is_staff=True), reason="Power cut")

    assert reread(table).phase == Table.Phase.CANCELLED
    after = [points_of(player) - table.entry_minor for player in players_of(table)]
    assert after == before
    assert Account.objects.get(pk=table.escrow_account_id).balance_minor == 0
    assert row_findings() == ()
