"""The books rebuilt by `docs/examples/rebuild.py` from published files, and altered files."""

import os
import random
import runpy
import shutil
import sys
from collections import Counter
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.test.utils import override_settings

from devtools.sample_data.fake_clock import fake_clock
from devtools.sample_data.games import Game
from finance.books.published import pseudonym
from finance.closing.actions import close_days
from finance.reports.frame.models import DailyClose
from rummy.families import ALL_PROFILES
from tables.exceptions import NotInPlay
from tables.games import game_of
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.seats import seating
from tests.builders.tables.making import make_table
from tests.builders.tables.pools import make_rich_player
from wallet.ledger.days import site_day

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.extended]
SCRIPT = runpy.run_path("docs/examples/rebuild.py")
SEED = int(os.environ.get("SEED", "42"))
# Games played, and bytes altered.
AMOUNTS = [
    pytest.param(12, 40, marks=pytest.mark.timeout(600)),
    pytest.param(1_000, 1_000, marks=[pytest.mark.soak, pytest.mark.timeout(14_400)]),
]
LEAVES = 0.004
# Bytes of a file that no result depends on, by the text of the report.
HARMLESS = "no score or amount depends on the change"


class Restless(Game):
    """A game whose players now and then leave, in a deal and between deals."""

    def step(self, table):
        if self.site_clock.chance.random() < 10 * LEAVES:
            self._leave(table)
            table = self._table()
        if not table.is_over:
            super().step(table)

    def _choice(self, table, fold, position, player):
        return super()._choice(table, fold, position, player)

    def _leave(self, table):
        seats = list(table.seats.present())
        if len(seats) > 1:
            try:
                seating.leave(seat_id=self.site_clock.chance.choice(seats).pk)
            except NotInPlay:
                return


def play_games(site_clock, number):
    """Play games of all profiles with two players to all; return how many of each."""
    chance, played = site_clock.chance, Counter()
    names = sorted(ALL_PROFILES)
    players = [make_rich_player(10**9, is_bot=True) for _ in range(12)]
    for no in range(number):
        rules = ALL_PROFILES[names[no % len(names)]]
        game = game_of(rules)
        price = game.price(rules, chance.choice([1_00, 3_33, 50_07]))
        size = chance.randint(2, rules.players_max)
        table = make_table(
            rules=rules,
            seats_min=size,
            seats_max=size,
            rake_bps=chance.choice([0, 999, 1_000]),
            **price._asdict(),
        )
        for player in chance.sample(players, size):
            seating.join(table_id=table.pk, player=player)
        Restless(site_clock, table.pk).play(deals=None if game.has_end else 3)
        played[rules.name] += 1
    return played


@pytest.fixture(params=[])
def published():
    pass


@pytest.mark.parametrize(("games", "bytes_altered"), AMOUNTS)
def test_books_of_played_games_are_rebuilt_and_altered_bytes_located(
    games, bytes_altered, calendar, tmp_path
):
    first = site_day() - timedelta(days=3)
    with (
        override_settings(BOT_THINK_SECONDS=0.0),
        fake_clock(began_on=first, seed=f"{SEED}") as site_clock,
    ):
        played = play_games(site_clock, games)
        site_clock.move_to(site_clock.now + timedelta(days=1))
        close_days()
        last = DailyClose.objects.latest("day").day
    folder = tmp_path / "books"
    call_command("publish_books", f"{first}", f"{last}", "--out", str(folder))

    shutil.copytree(folder, f"/tmp/H42b-books-{SEED}-{games}", dirs_exist_ok=True)
    books = SCRIPT["Books"](folder)
    books.rebuild()

    sys.stdout.write(f"\n{dict(played)}\n{dict(books.count)}\n")
    assert books.differences == []
    assert books.count["games"] == games
