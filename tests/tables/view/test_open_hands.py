"""What spectators see of hands: those of ended deals, for money with every player's consent."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from rest_framework.test import APIClient

import rummy
from core.api.openapi import as_json
from tables.models.deals import DealSeat
from tables.models.seats import Score, Seat
from tables.models.tables import Table
from tables.play import answering
from tables.seats import seating
from tables.state.fold import fold_of
from tables.state.snapshot import read_snapshot
from tables.view import open_hands, table_view
from tables.view.context import context_of
from tests.builders.tables.crowd import People
from tests.builders.tables.deals import best_of
from tests.builders.tables.making import make_game, make_player, make_rules
from tests.builders.tables.playing import deal_at, move, reread, seat_at
from tests.builders.tables.points_tables import make_points_game, next_deal, play_deal, sit_in
from tests.builders.tables.straight_tables import make_straight_game
from tests.builders.tables.views import cards_in

pytestmark = pytest.mark.django_db

GAMES = {
    "pool": lambda: make_game(players=2, rules=make_rules(limit=201, gap_seconds=60)),
    "deals": lambda: make_game(players=2, rules=best_of(3, gap_seconds=60)),
    "points": lambda: make_points_game(players=2, stack=800_00),
    "straight": lambda: make_straight_game(2, gap_seconds=60, cards_for_two=5, max_turns=10),
}
STEPS = 60


def with_other_secrets(state, rng):
    """Return the same deal as far as a spectator knows: all hidden cards change places."""
    shown = {state.winner} if state.ending == "show" else set()
    owners = [at for at, _ in enumerate(state.seats, start=1) if at not in shown]
    hidden = [*state.stock, *(card for at in owners for card in state.seats[at - 1].hand)]
    rng.shuffle(hidden)
    seats = list(state.seats)
    for at in owners:
        size = len(seats[at - 1].hand)
        seats[at - 1] = replace(seats[at - 1], hand=tuple(hidden[:size]))
        hidden = hidden[size:]
    drawn = seats[state.to_act - 1].hand[-1] if state.drawn and state.to_act else state.drawn
    drawn = state.drawn if state.drawn_from == "open" else drawn
    return replace(state, stock=tuple(hidden), seats=tuple(seats), drawn=drawn)


class Steady(People):
    """People who drop rarely, so that most deals end with a show."""

    def move(self) -> None:
        if self.chance.random() < 0.02:
            super().move()
            return
        state = fold_of(deal_at(self.table)).state
        family = rummy.family_of(state.rules)
        position = state.to_act or min(state.waiting)
        legal = family.legal_moves(state, position)
        legal = tuple(each for each in legal if not isinstance(each, rummy.Drop))
        chosen = rummy.bots.choose(family.view(state, position), legal)
        window = {"window_id": self.table.window_id} if self.table.window_id else {}
        move(self.table, position, chosen.text, **window)


class Watched:
    """A game whose players agree and withdraw by chance, and what may be known of it."""

    def __init__(self, table: Table, rng: random.Random) -> None:
        self.table, self.rng, self.time = table, rng, 0
        self.begun: dict[int, int] = {}
        self.agreed: dict[int, int] = {}
        self.lain_open: dict[int, set[str]] = {}
        self.seen: Counter[str] = Counter()

    def agree_or_withdraw(self) -> None:
        self.time += 1
        seats = list(self.table.seats.present())
        waiting = [seat for seat in seats if seat.pk not in self.agreed]
        agrees = bool(waiting) and self.rng.random() < 0.5
        if not seats or (not agrees and self.rng.random() < 0.98):
            return
        seat = self.rng.choice(waiting if agrees else seats)
        answering.show_hands(seat_id=seat.pk, agrees=agrees)
        if agrees:
            self.agreed.setdefault(seat.pk, self.time)
        else:
            self.agreed.pop(seat.pk, None)

    def may_see(self, deal_no: int) -> bool:
        """Whether all of the deal are here, and with all who came agreed before it and still do."""
        dealt_in = DealSeat.objects.filter(deal__table=self.table, deal__no=deal_no)
        asked = {*self.table.seats.present().values_list("pk", flat=True)}
        if not asked.issuperset(dealt_in.values_list("seat", flat=True)):
            return False
        return all(self.agreed.get(pk, self.time + 1) <= self.begun[deal_no] for pk in asked)

    def look(self, *, is_for_money: bool) -> None:
        self.table = reread(self.table)
        no = self.table.deal_no
        self.begun.setdefault(no, self.time)
        context = context_of(read_snapshot(self.table.pk, phase=self.table.phase))
        view = as_json(table_view.table_view(self.table, None))
        known = self.lain_open.setdefault(no, set())
        may_see_now = not is_for_money or self.may_see(no)
        if context.state is not None:
            known |= {str(card) for card in context.state.pile}
            known |= {*context.deal.toss.split(), str(getattr(context.state, "wild", ""))}
            for meld in getattr(context.state, "melds", ()):
                known |= {str(card) for card in meld.cards}
            other = replace(context, state=with_other_secrets(context.state, self.rng))
            assert table_view._seen(other, None) == table_view._seen(context, None)
            self.seen["other secrets"] += 1
            if showing := view["deal"]["showing"]:
                assert may_see_now
                known |= {card for group in showing["groups"] for card in group.split()}
                known.add(showing["finish"])
                self.seen["shows"] += 1
        known |= self._of_last_deal(view, is_for_money=is_for_money)
        assert cards_in(view) <= known
        self.seen["steps"] += 1

    def _of_last_deal(self, view, *, is_for_money: bool) -> set[str]:
        """Return the cards of the last deal's results, which only a settled deal may have."""
        last = view["last_deal"]
        if last is None:
            return set()
        deal = self.table.deals.get(no=last["no"])
        assert deal.status == "settled"
        texts = dict(Score.objects.filter(deal=deal).values_list("seat__number", "arrangement"))
        shown = {row["seat"]: row["arrangement"] for row in last["rows"]}
        if is_for_money and not self.may_see(deal.no):
            assert set(shown.values()) == {""}
            self.seen["hidden"] += any(texts.values())
            return set()
        if self.table.deal_no == deal.no:  # Numbers of seats change at points tables.
            assert sorted(shown.values()) == sorted(texts.values())
        self.seen["shown"] += any(texts.values())
        return cards_in(last)


@pytest.mark.extended
@pytest.mark.timeout(600)
@pytest.mark.parametrize("is_for_money", [False, True], ids=["points", "money"])
@pytest.mark.parametrize("kind", GAMES)
def test_a_spectators_view_has_no_card_that_is_not_public(kind, is_for_money, monkeypatch):
    if is_for_money:  # Play points are a currency like others to all else.
        monkeypatch.setattr(open_hands, "PLAY_POINTS", "none")
    rng = random.Random(f"{kind} {is_for_money}")
    seen = Counter()
    while seen["steps"] < STEPS or not seen["shown"] or (is_for_money and not seen["hidden"]):
        watched = Watched(GAMES[kind](), rng)
        people = Steady(watched.table, rng, leaving=0.002)
        while not people.table.is_over and watched.seen["steps"] < 5 * STEPS:
            watched.look(is_for_money=is_for_money)
            watched.agree_or_withdraw()
            people.table = reread(people.table)
            people.act()
            people.table = reread(people.table)
        seen += watched.seen
        assert seen["steps"] < 20 * STEPS, seen
    assert seen["other secrets"] > STEPS / 3
    assert (seen["hidden"] > 0) == is_for_money


def scored(table, viewer=None):
    """Return the arrangements of the last deal's results by deal, as the viewer sees them."""
    last = table_view.table_view(reread(table), viewer).last_deal
    return last.no, {row.arrangement != "" for row in last.rows}


def test_hands_for_money_are_shown_only_while_every_player_agrees_before_the_deal(monkeypatch):
    monkeypatch.setattr(open_hands, "PLAY_POINTS", "none")
    table = make_points_game(players=2, stack=800_00)
    seats = [seat_at(table, position) for position in (1, 2)]
    answering.show_hands(seat_id=seats[0].pk, agrees=True)
    play_deal(table, 0, 20)
    assert scored(table) == (1, {False}), "one has not agreed"
    assert scored(table, seats[1].player) == (1, {True}), "players see what was shown"
    answering.show_hands(seat_id=seats[1].pk, agrees=True)
    version = reread(table).version
    answering.show_hands(seat_id=seats[1].pk, agrees=True)
    assert reread(table).version == version
    assert scored(table) == (1, {False}), "the other agreed after this deal"
    view = table_view.table_view(reread(table), seats[0].player)
    assert view.open_hands == open_hands.OpenHands(True, True, 2, 2, mine=True)

    play_deal(next_deal(table), 0, 20)
    assert scored(table) == (2, {True})
    newcomer = sit_in(table, 800_00)
    assert scored(table) == (2, {False}), "a newcomer has not agreed"
    assert scored(table, newcomer.player) == (2, {False}), "nor seen what was shown"
    assert scored(table, seats[1].player) == (2, {True})
    seating.leave(seat_id=newcomer.pk)
    assert scored(table) == (2, {True})
    answering.show_hands(seat_id=seats[0].pk, agrees=False)
    assert scored(table) == (2, {False}), "a withdrawal hides earlier deals, too"
    assert Seat.objects.get(pk=seats[0].pk).shows_hands_set_at is not None


def test_only_a_seat_of_the_table_can_agree(game_of_two):
    address = f"/api/v1/tables/{game_of_two.public_id}/show-hands/"
    client, stranger = APIClient(), APIClient()
    client.force_login(seat_at(game_of_two, 1).player)
    stranger.force_login(make_player())

    answer = client.put(address, {"agrees": True}, "json")

    assert answer.json()["open_hands"] == {
        "shown": True,
        "needs_consent": False,
        "agreed": 1,
        "players": 2,
        "mine": True,
    }
    assert client.put(address, {}, "json").status_code == 400
    assert stranger.put(address, {"agrees": True}, "json").status_code == 404
    assert APIClient().put(address, {"agrees": True}, "json").status_code == 403
