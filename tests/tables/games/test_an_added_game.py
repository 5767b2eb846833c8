"""The worked example of CONTRIBUTING.md: a game of one deal, added by a class and played."""

from typing import Literal

import pytest

from rummy import Rules
from rummy.notation.house_rules import kinds_of
from tables.games import GAMES, game_of
from tables.games.rule_text import entries_text
from tables.games.series import Series
from tables.games.thirteen.cards import ThirteenCards
from tables.lobby.rules.rules_page import rules_page
from tables.models.tables import Table
from tables.play import dealing
from tables.settlement import finishing
from tables.state.rules import rules_of
from tables.view.table_view import table_view
from tests.builders.tables.deals import give_up, settle
from tests.builders.tables.making import make_game, make_rules
from tests.builders.tables.playing import reread, seat_at
from wallet.audit.audit import row_findings

pytestmark = pytest.mark.django_db


class Sudden(ThirteenCards, Series):
    """One deal; its winner takes the prize."""

    name = title = "sudden"

    def thresholds(self, rules, entry):
        return "None."

    def final_order(self, record):
        """Rank the winner of the deal first, else those who stayed."""
        seats = record.players
        won = {score.seat_id for score in record.scores if score.how == "won"}
        there = [seat for seat in seats if seat.left_at is None]
        heads = [seat for seat in seats if seat.pk in won] or there[:1]

        def rank(seat):
            return seat not in heads, seat.left_at is not None

        return finishing.Order(seats, heads, rank, bool(won) or len(there) == 1)

    def deal_next(self, table, now):
        dealing.deal_to(table, list(table.seats.present().in_seat_order()), now)

    def rules_text(self, rules):
        yield "One deal is played; its winner takes the prize."
        yield from entries_text()


@pytest.fixture(autouse=True)
def added(monkeypatch):
    """Add the name to the rules and an instance to the games: steps 1 and 3 of the example."""
    monkeypatch.setitem(kinds_of(Rules), "game", Literal["points", "pool", "deals", "sudden"])
    monkeypatch.setitem(GAMES, "sudden", Sudden())


def sudden():
    return make_rules(game="sudden", limit=None, rejoin=False, split=False, auto_split=False)


def test_the_winner_of_the_only_deal_takes_the_prize():
    table = make_game(players=2, rules=sudden())
    winner = seat_at(table, 2)

    give_up(table, 1)
    settle(table)

    table = reread(table)
    assert game_of(table).name == table_view(table, None).game == "sudden"
    assert table.phase == Table.Phase.FINISHED
    result = table.results.get(place=1)
    assert (result.seat, result.prize_minor) == (winner, 180_00)
    assert table.escrow.balance_minor == 0
    assert row_findings() == ()


def test_its_page_of_rules_is_its_own():
    page = rules_page(rules_of(make_game(players=2, rules=sudden()).profile))

    sentences = [sentence for section in page.sections for sentence in section.sentences]
    assert "One deal is played; its winner takes the prize." in sentences
