"""The books rebuilt by `docs/examples/rebuild.py` from published files, and altered files."""

import os
import random
import runpy
import sys
from collections import Counter
from contextlib import suppress
from datetime import timedelta
from functools import cache
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import override_settings

from devtools.sample_data.fake_clock import fake_clock
from devtools.sample_data.games import Game
from devtools.sample_data.generation import generate_sample_data
from finance.closing.actions import close_days
from finance.reports.frame.models import DailyClose
from players.sign_in import actions as sign_in
from rummy.families import ALL_PROFILES
from tables.exceptions import NotInPlay
from tables.games import game_of
from tables.integrity.moderation import rulings
from tables.seats import seating
from tests.builders.books.full_books import a_day_passes
from tests.builders.staff.people import lay_roles
from tests.builders.tables.making import make_table
from tests.builders.tables.pools import make_rich_player
from tests.builders.tournaments.played_contests import with_an_add_on, with_reentries
from tests.builders.tournaments.seasons import close, give, make_season
from tests.builders.wallet.players import make_player
from wallet.ledger.days import site_day
from wallet.ledger.models import Transfer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.extended]
SCRIPT = runpy.run_path("docs/examples/rebuild.py")
# Every altered byte is tried on all books; unaltered files are read once.
NAMES = SCRIPT["Books"].read_deals.__globals__
NAMES["read_deal"] = cache(NAMES["read_deal"])
SEED = int(os.environ.get("SEED", "42"))
# Games played, of each profile the same number, and bytes altered: every one costs a rebuild of
# all games, and few games have every kind of line.
AMOUNTS = [
    pytest.param(12, 40, marks=pytest.mark.timeout(600)),
    pytest.param(12, 1_000, marks=[pytest.mark.soak, pytest.mark.timeout(3_600)]),
    pytest.param(1_000, 0, marks=[pytest.mark.soak, pytest.mark.timeout(14_400)]),
]
LEAVES = 0.004
# The probability of a ruling at each step: a deal is voided, or less often the game cancelled.
RULINGS = 0.02
# The share of altered bytes that are in history files; the rest are in the other files.
DEALS_ALTERED = 0.6
BYTES = bytes(range(32, 127)) + b"\n"
HARMLESS = "no score or amount depends on the change"


class Restless(Game):
    """A game whose players now and then leave, in a deal and between deals, and staff rule."""

    def step(self, table):
        if self._happens(10 * LEAVES):
            self._leave(table)
            table = self._table()
        if self._happens(RULINGS):
            self._rule(table)
            table = self._table()
        if not table.is_over:
            super().step(table)

    def _rule(self, table):
        deal, by = table.deals.filter(no=table.deal_no).first(), make_player(is_staff=True)
        with suppress(NotInPlay):
            if deal is None or self._happens(0.3):
                rulings.cancel_game(table_id=table.pk, by=by, reason="A power cut")
            else:
                rulings.void_deal(deal_id=deal.pk, by=by, reason="A card was visible")
        for seat in table.seats.present() if self._happens(0.5) else []:
            with suppress(NotInPlay):  # All leave before a worker carries it out.
                seating.leave(seat_id=seat.pk)

    def _play_deal(self, table):
        with suppress(NotInPlay):  # The player to move has left.
            super()._play_deal(table)

    def _choice(self, table, fold, position, player):
        if self._happens(LEAVES):
            self._leave(table)  # The move that follows is refused, and the deal read again.
        return super()._choice(table, fold, position, player)

    def _leave(self, table):
        self.site_clock.agree()
        seats = list(table.seats.present().order_by("pk"))
        if len(seats) > 1:
            with suppress(NotInPlay):
                seating.leave(seat_id=self.site_clock.chance.choice(seats).pk)


def play_games(site_clock, number):
    """Play games of all profiles with two players to all; return how many of each."""
    chance, played = site_clock.chance, Counter()
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = off")
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


def publish(first, folder):
    """Publish all closed days since the first one; return the books, computed again."""
    last = DailyClose.objects.latest("day").day
    call_command("publish_books", f"{first}", f"{last}", "--out", str(folder))
    books = SCRIPT["Books"](folder)
    books.rebuild()
    sys.stdout.write(f"\n{dict(books.count)}\n")
    return books


@pytest.mark.parametrize(("games", "bytes_altered"), AMOUNTS)
def test_books_of_played_games_are_rebuilt_and_altered_bytes_located(
    games, bytes_altered, calendar, tmp_path
):
    first = site_day() - timedelta(days=30)
    with (
        override_settings(BOT_THINK_SECONDS=0.0),
        fake_clock(began_on=first, seed=f"{SEED}") as site_clock,
    ):
        played = play_games(site_clock, games)
        site_clock.move_to(site_clock.now + timedelta(days=1))
        close_days()

    books = publish(first, tmp_path / "books")

    assert books.differences == []
    assert books.count["games"] == games == sum(played.values())
    reported = alter(tmp_path / "books", bytes_altered)
    assert reported["line"] >= bytes_altered // 3


@pytest.mark.parametrize(
    "days",
    [pytest.param(days, marks=pytest.mark.soak) for days in (5, 30)],
)
@pytest.mark.timeout(7_200)
def test_taxes_and_tournaments_of_sample_data_are_rebuilt(days, calendar, tmp_path):
    lay_roles()
    last = site_day() - timedelta(days=1)
    generate_sample_data(
        days=days, seed=f"{SEED}", password="x" * 12, progress=lambda line: None, ends_on=last
    )
    close_days()

    # All days, also after midnight in India: taxes are not computed from inside a year.
    first = Transfer.objects.earliest("booked_on").booked_on
    books = publish(first, tmp_path / "books")

    assert books.differences == []
    assert books.count["tournaments"] > 1
    assert min(books.count[tax] for tax in ("GST", "TDS")) > 1
    missed = [one for one in ALTERED if one[-1] not in reported_of(tmp_path / "books", *one[:2])]
    assert missed == []


def test_tournaments_with_reentries_and_an_add_on_are_rebuilt(calendar, tmp_path):
    with_reentries()
    with_an_add_on()
    a_day_passes()
    close_days()

    books = publish(site_day() - timedelta(days=1), tmp_path / "books")

    assert books.differences == []
    assert books.count["tournaments"] == 2


def test_prizes_of_seasons_are_rebuilt(calendar, tmp_path):
    first, second, third, fourth, closed = (make_player() for _ in range(5))
    sign_in.block(player_id=closed.pk, by=make_player(is_staff=True), reason="Two accounts")
    paid = make_season(pools_minor=[100_00, 70_01], prize_bps=[6000, 4000], currency="INR")
    give(paid, {closed: 90, first: 80, second: 50, third: 50, fourth: 0})
    default = make_season(pools_minor=[77_77])
    give(default, {first: 30, second: 30})
    for season in (paid, default, make_season(), make_season(pools_minor=[5_00])):
        close(season)
    a_day_passes()
    close_days()

    books = publish(site_day() - timedelta(days=1), tmp_path / "books")

    assert books.differences == []
    assert books.count["seasons"] == 2  # Those that paid prizes.
    won = [*paid.outcomes.filter(prize_minor__gt=0).values_list("prize_minor", flat=True)]
    assert sorted(won) == [14_00, 14_00, 42_01]
    for old, new in (
        ("[6000, 4000]", "[7000, 3000]"),
        ('"pool": 7777', '"pool": 7776'),
        (", 80]", ", 50]"),
    ):
        found = reported_of(tmp_path / "books", "games.jsonl", lambda text: text.replace(old, new))  # noqa: B023
        assert "is due" in found, (old, new, found)
    dropped = reported_of(tmp_path / "books", "games.jsonl", lambda text: text.partition("\n")[2])
    assert "is not among the games" in dropped


# A file, what replaces its text, and a part of the report.
ALTERED = [
    ("games.jsonl", lambda text: text.splitlines()[0] + "\n" + text, "has a row already"),
    ("games.jsonl", lambda text: text.partition("\n")[2], "is not among the games"),
    ("games.jsonl", lambda text: text.replace('"seats"', '"seat"', 1), "cannot be read"),
    ("games.jsonl", lambda text: "[" * 100_000 + "\n" + text, "cannot be read"),
    ("opening.csv", lambda text: f"{text}{'a' * 16}/deposit,INR,-5\n", "is below 0"),
    ("opening.csv", lambda text: f"{text}promotions/0,INR,5\n", "sum to 5, not 0"),
    ("journal.csv", lambda text: text.replace("\n", "\r\n"), "cannot be read"),
    ("journal.csv", lambda text: text.splitlines()[0], "the journal has no payment"),
    ("rates.csv", lambda text: text.splitlines()[0], "the GST on"),
    ("manifest.json", lambda text: '{"files": []}', "is no manifest"),
]


def reported_of(folder, name, change):
    whole = (folder / name).read_text()
    (folder / name).write_text(change(whole), newline="")
    books = SCRIPT["Books"](folder)
    books.rebuild()
    (folder / name).write_text(whole)
    return "\n".join(text for *_, text in books.differences)


@pytest.mark.parametrize(
    ("rules", "paid"),
    [
        ({"game": "pool", "limit": 101, "auto_split": False, "split": False}, {"a": 180, "b": 0}),
        ({"game": "deals", "chips": 160, "deals": 2, "max_extra_deals": 0}, {"a": 180, "b": 0}),
    ],
)
def test_pot_of_a_game_that_all_left_in_a_void_deal_goes_by_the_deal_before(rules, paid):
    """Rulebook 7.6: the best total before the void deal wins, scores of the first one included."""
    row = {
        "game": "table:1",
        "entry_minor": 100,
        "rake_bps": 1_000,
        "phase": "finished",
        "stake_mode": "cash",
        "stops_at": 1,
        "starters": 2,
        "deals": 2,
        "void": [2],
        "extra_chips": {},
        "rejoined": [],
        "split": [],
        "seats": [["a", 1, 2, True], ["b", 2, 2, True]],
    }
    scores = {"a": (0, "won"), "b": (50, "lost")}
    deals = [
        SimpleNamespace(
            no=no, moves=[], players=["a", "b"], rules=rules, is_over=no < 2, scores=lambda: scores
        )
        for no in (1, 2)
    ]

    due = SCRIPT["Game"](row, 1, deals).due()

    assert {name: due.paid.get(name, 0) for name in paid} == paid


def alter(folder, number):
    """Alter one byte after the other; each is located, or harmless with the reason.

    Return how many were reported at their line, in their file, and as harmless.
    """
    chance, reported = random.Random(SEED), Counter()
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    deals = [name for name in names if name.startswith("deals/")]
    others = [name for name in names if name not in deals]
    for _ in range(number):
        name = chance.choice(deals if chance.random() < DEALS_ALTERED else others)
        path = folder / name
        whole = path.read_bytes()
        at = chance.randrange(len(whole))
        byte = chance.choice(BYTES.replace(whole[at : at + 1], b""))
        path.write_bytes(b"%b%c%b" % (whole[:at], byte, whole[at + 1 :]))

        books = SCRIPT["Books"](folder)
        books.rebuild()

        path.write_bytes(whole)
        line = whole.count(b"\n", 0, at) + 1
        lines = {found for file, found, _ in books.differences if file == name}
        texts = [text for *_, text in books.differences]
        assert lines or name == "manifest.json", (name, line, whole[at : at + 1], byte)
        assert texts, (name, line)
        harmless = len(texts) == 1 and HARMLESS in texts[0]
        reported["harmless" if harmless else "line" if line in lines else "file"] += 1
    sys.stdout.write(f"{dict(reported)}\n")
    return reported
