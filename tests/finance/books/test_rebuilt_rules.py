"""Random deals, games, prizes and taxes: `docs/examples/rebuild.py` computes what the site does."""

from __future__ import annotations

import json
import random
import runpy
from collections import Counter
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

import rummy
from rummy import ALL_PROFILES, PROFILES, History, Pool, RulesError
from rummy.history.files import dumps
from rummy.money.payouts import largest_remainder
from rummy.notation.rules import Rules
from tables.games import game_of
from tables.models.deals import Deal
from tables.models.seats import Score, Seat
from tables.models.tables import Table
from tables.models.templates import RuleProfile
from tables.settlement.game_record import GameRecord
from tests.builders.cards import dealing, straight
from tournaments.entries.models import Entry, Prize
from tournaments.planning.models import Tournament
from tournaments.planning.prize_table import prize_list, ticket_rows
from tournaments.prizes import prize_pool, tickets
from wallet.tax.models import TaxRate

SCRIPT = runpy.run_path("docs/examples/rebuild.py")
MOST_DEALS = 60
BEGAN, HOUR = datetime(2026, 4, 1, tzinfo=UTC), timedelta(hours=1)
seeds = st.integers(0, 2**32)


# --- Cards


def random_rules(rng: random.Random) -> rummy.AnyRules:
    """Return a profile, or one with some other house rules."""
    rules = ALL_PROFILES[rng.choice(sorted(ALL_PROFILES))]
    if not isinstance(rules, Rules):
        return straight.random_rules(rng) if rng.random() < 0.5 else rules
    changes: dict[str, list[Any]] = {
        "max_jokers_per_sequence": [None, 1, 2],
        "max_jokers_per_set": [None, 0, 1, 2],
        "max_set_size": [None, 3, 4],
        "min_naturals": [0, 1, 2],
        "identical_triples": [True, False],
        "loose_jokers": [True, False],
        "life_of_four": [None, "any", "other"],
        "unmet": ["all", "pure_exempt"],
        "unmet_points": ["sum", "flat"],
        "open_joker": ["first_only", "never", "always"],
        "half_without_turn": [True, False],
        "absent_pays_lower": [True, False],
        "least_loss": [0, 2],
        "max_reshuffles": [0, 1],
        "misses_allowed": [1, 3],
        "misses_allowed_for_two": [None, 1],
    }
    for name, values in changes.items():
        if rng.random() < 0.3:
            try:
                rules = rules.with_(name="random", **{name: rng.choice(values)})
            except RulesError:  # Contradicts another rule.
                continue
    return rules


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_random_deals_are_played_again_with_the_same_scores(seed: int) -> None:
    rng = random.Random(seed)
    rules = random_rules(rng)
    players = rng.randint(rules.players_min, rules.players_max)
    history = History(rules, players, rng.randbytes(32), ("mine",) * rng.randint(0, 2), True)
    play = dealing.random_play if isinstance(rules, Rules) else straight.random_play
    moves = tuple(move for move, _ in play(history.start, rng))  # type: ignore[arg-type]
    history = History(rules, players, history.server_seed, history.client_seeds, True, moves=moves)
    names = [f"{at:016x}" for at in range(players)]
    seats = ", ".join(f"p{at} {name}" for at, name in enumerate(names, start=1))
    head = [f"# table {UUID(int=1)}, deal 1", f"# {seats}"]
    first, *rest = dumps(history).splitlines()

    deal = SCRIPT["read_deal"]("", "\n".join([first, *head, *rest]))

    outcome = history.family.outcome(history.end)
    wanted = [(one.points, str(one.how)) for one in outcome.results] if outcome else []
    assert deal.points == wanted


# --- Games


def made(rules: rummy.AnyRules, players: int, **row: Any) -> dict[str, Any]:
    """Return a row of games.jsonl for players named by their seats; `row` has its other fields."""
    seats = [[f"{at}", at, 0, False] for at in range(1, players + 1)]
    return {
        "game": "table:1", "entry_minor": 101_07, "rake_bps": 1_234, "phase": "finished",
        "stake_mode": "cash", "stops_at": 1, "starters": players, "void": [], "extra_chips": {},
        "rejoined": [], "split": [], "seats": seats,
    } | row  # fmt: skip


def rebuilt(rules: rummy.AnyRules, row: dict[str, Any], scores: list[dict[str, Any]]) -> Any:
    """Return the script's game with these deals: points and the way they were made, by name."""
    fields = {name: getattr(rules, name) for name in rules.__dataclass_fields__}
    deals = [
        SimpleNamespace(
            no=no, moves=[], players=list(points), rules=fields, is_over=True,
            scores=lambda points=points: points,
        )
        for no, points in enumerate(scores, start=1)
    ]  # fmt: skip
    return SCRIPT["Game"](row | {"deals": len(deals)}, 1, deals)


class PlayedPool:
    """A pool played at random, and its row and scores as the script reads them."""

    def __init__(self, rng: random.Random, rules: Rules) -> None:
        players = rng.randint(2, rules.players_max)
        self.rng, self.rules, self.row = rng, rules, made(rules, players)
        self.scores: list[dict[str, Any]] = []
        self.leaving = rng.choice([0.03, 0.03, 0.5])
        entry, bps = self.row["entry_minor"], self.row["rake_bps"]
        self.pool = Pool.start(rules, players=players, entry=entry, bps=bps)

    def happens(self, probability: float) -> bool:
        return self.rng.random() < probability

    def leave(self, *, inside: bool) -> None:
        seat = self.rng.choice(self.pool.survivors)
        self.row["seats"][seat - 1][2:] = [len(self.scores), inside]
        self.pool = self.pool.left(seat)

    def step(self) -> None:
        """Play a deal, perhaps a void one, and what follows it."""
        if self.happens(0.1):
            self.scores.append({f"{seat}": (0, "") for seat in self.pool.survivors})
            self.row["void"].append(len(self.scores))
            if self.happens(0.5):
                self.leave(inside=True)
            return
        self.deal()
        while self.pool.may_rejoin:
            self.answer()
        if not self.pool.is_over and self.happens(0.03):
            self.leave(inside=False)
        if not self.pool.is_over and self.pool.split_offer().eligible and self.happens(0.3):
            self.row["split"].append(len(self.scores))
            self.pool = self.pool.split()
        elif not self.pool.is_over and self.happens(0.02):
            self.row["phase"] = "cancelled"
            self.pool = self.pool.cancelled()

    def deal(self) -> None:
        winner, first_drop = self.rng.choice(self.pool.survivors), self.rules.first_drop
        lost = {
            seat: self.rng.choice([first_drop, self.rng.randint(2, self.rules.cap)])
            for seat in self.pool.survivors
        } | {winner: 0}
        self.scores.append({f"{seat}": (points, "") for seat, points in lost.items()})
        gone = [seat for seat in lost if self.happens(self.leaving)]
        self.pool = self.pool.scored(lost, left=gone)
        for seat in gone:
            self.row["seats"][seat - 1][2:] = [len(self.scores), True]

    def answer(self) -> None:
        seat = self.rng.choice(self.pool.may_rejoin)
        if self.pool.survivors and self.happens(0.1):
            self.leave(inside=False)
        elif self.happens(0.6):
            self.row["rejoined"].append([len(self.scores), f"{seat}"])
            self.pool = self.pool.rejoined(seat)
        else:
            self.pool = self.pool.declined(seat)


@settings(max_examples=200, deadline=None)
@given(seeds)
def test_random_pools_pay_the_same(seed: int) -> None:
    """RB 7: rejoins, splits, departures, void deals and cancellations, in any order."""
    rng = random.Random(seed)
    rules = rng.choice([rules for rules in PROFILES.values() if rules.game == "pool"])
    if rules.rejoin and rng.random() < 0.5:
        changed = {"auto_split": rng.random() < 0.5, "max_rejoins": rng.choice([None, 1])}
        rules = rules.with_(name="random", **changed)
    played = PlayedPool(rng, rules)
    while not played.pool.is_over and len(played.scores) < MOST_DEALS:
        played.step()
    if not played.pool.is_over:
        return

    game = rebuilt(rules, played.row, played.scores)
    due = game.due()

    pool = played.pool
    wanted = {f"{seat}": minor for seat, minor in (pool.payouts or {}).items()}
    assert {name: due.paid.get(name, 0) for name in {*due.paid, *wanted}} == wanted
    assert due.rake == pool.entries * pool.entry - sum(wanted.values())
    assert sum(due.entries.values()) == pool.entries
    if pool.ending in ("last_survivor", "nobody_left"):
        assert {*game.places[: len(wanted)]} == {*wanted}


@settings(max_examples=200, deadline=None)
@given(seeds)
def test_random_series_pay_the_same(seed: int) -> None:
    """RB 8.2, 9.5: deals rummy and straight rummy, with ties, departures and void deals."""
    rng = random.Random(seed)
    series = [rules for rules in ALL_PROFILES.values() if rules.game not in ("pool", "points")]
    rules = rng.choice(series)
    if rules.game != "deals" and rng.random() < 0.7:
        rules = straight.random_rules(rng)
    players = rng.randint(rules.players_min, rules.players_max)
    table = Table(pk=1, profile=RuleProfile(name=rules.name, text=rules.to_text()), deal_no=0)
    seats = [Seat(pk=at, number=at) for at in range(1, players + 1)]
    record = GameRecord(table, seats, [], [], [])
    row, scores = made(rules, players), list[dict[str, Any]]()
    order = game_of(rules).final_order

    def play() -> None:
        """Play a deal, perhaps a void one, and let players leave in it or after it."""
        is_over = is_series_over(rules, record)
        playing = order(record).heads if is_over else [s for s in seats if s.left_at is None]
        table.deal_no += 1
        is_void = rng.random() < 0.05
        status = Deal.Status.VOID if is_void else Deal.Status.SETTLED
        no = table.deal_no
        deal = Deal(pk=no, no=no, status=status, started_at=BEGAN + no * HOUR)
        points = {} if is_void else series_points(rng, rules, [seat.pk for seat in playing])
        scores.append({f"{seat}": scored for seat, scored in points.items()})
        record.deals.append(deal)  # type: ignore[attr-defined]
        record.scores.extend(scored_in(rules, record, deal, points))  # type: ignore[attr-defined]
        row["void"] += [deal.no] * is_void
        for seat in [seat for seat in seats if seat.left_at is None and rng.random() < 0.05]:
            is_inside = rng.random() < 0.5
            if not is_void or sum(other.left_at is None for other in seats) > 1:
                seat.left_at = BEGAN + no * HOUR + HOUR / 2
                row["seats"][seat.pk - 1][2:] = [deal.no, is_inside]

    play()
    while not order(record).is_decided and len(scores) < MOST_DEALS:
        play()
    if not record.scores or not order(record).is_decided:
        return

    game = rebuilt(rules, row, scores)
    due = game.due()

    ended = order(record)
    pot = players * rummy.payouts.net_entry(row["entry_minor"], row["rake_bps"])
    parts = rummy.payouts.equal_shares(pot, len(ended.heads))
    assert due.paid == {f"{s.pk}": part for s, part in zip(ended.heads, parts, strict=True)}
    assert due.rake == players * row["entry_minor"] - pot
    places = ended.places()
    assert sorted(game.places, key=lambda name: places[int(name)]) == game.places


def is_series_over(rules: Any, record: GameRecord) -> bool:
    """Return whether the regular deals are over, so that only tied leaders play."""
    played = len(record.settled)
    if rules.game == "deals":
        return bool(played >= rules.deals)
    return rummy.straight.is_over(rules, list(record.totals().values()), deals=played)


def series_points(rng: random.Random, rules: Any, seats: list[int]) -> dict[int, tuple[int, str]]:
    """Return the points of a deal and how each seat got them; few values, so that totals tie."""
    winner, lost = rng.choice(seats), {seat: rng.choice([0, 20, 40, 80]) for seat in seats}
    lost[winner] = 0
    if rules.game != "deals" and rules.scoring == "winner":
        lost = dict.fromkeys(seats, 0) | {winner: sum(lost.values())}
    return {seat: (minor, "won" if seat == winner else "lost") for seat, minor in lost.items()}


def scored_in(
    rules: Any, record: GameRecord, deal: Deal, points: dict[int, tuple[int, str]]
) -> list[Score]:
    """Return the scores of a deal as the site stores them."""
    totals = record.totals()
    rows = [
        Score(
            deal_id=deal.pk, seat_id=seat, points=lost, how=how, total_after=totals[seat] + lost
        )
        for seat, (lost, how) in points.items()
    ]  # fmt: skip
    if rules.game == "deals" and rows:
        game_of(rules).complete(record.table, deal, rows, lambda: record)
    return rows


# --- Prizes and taxes

amounts = st.integers(0, 10**9)


@settings(deadline=None)
@given(
    pool=amounts,
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=8),
    ticket=st.none() | st.integers(1, 10**9),
    rng=st.randoms(use_true_random=False),
)
def test_prizes_of_any_ties_are_the_same(
    pool: int, sizes: list[int], ticket: int | None, rng: random.Random
) -> None:
    """RB 10.3, 10.5: ties share money, the draw decides on tickets; some entries are re-entries."""
    finishers = sum(sizes)
    if ticket is None:
        bps = rng.choice([(10_000,), (5_000, 3_000, 2_000), (2_500,) * 4])
        money = prize_list(pool, bps, finishers=finishers)
        rows = [(part, minor, False) for part, minor in zip(bps, money, strict=False)]
    else:
        value = min(ticket, max(pool, 1))
        due = ticket_rows(pool, value, finishers=finishers)
        rows = [(0, minor, is_ticket) for minor, is_ticket in due]
    prizes = [
        Prize(place=place, bps=part, amount_minor=minor, is_ticket=is_ticket)
        for place, (part, minor, is_ticket) in enumerate(rows, start=1)
    ]
    places = [1 + sum(sizes[:at]) for at, size in enumerate(sizes) for _ in range(size)]
    entries = [
        Entry(public_id=UUID(int=no), place=place, player_id=rng.randrange(1 + finishers))
        for no, place in enumerate(places)
    ]
    players = [f"{entry.player_id}" for entry in entries]

    site = prize_pool.shares(Tournament(awards_id=ticket and 1), prizes, entries)
    won, in_tickets = SCRIPT["prizes_due"](
        [[one.place, one.bps, one.amount_minor, one.is_ticket] for one in prizes],
        list(zip(players, places, strict=True)),
    )

    assert sum(site.values()) == sum(row[1] for row in rows) == pool
    by_player = Counter[str]()
    for player, entry in zip(players, entries, strict=True):
        by_player[player] += site[str(entry.public_id)]
    assert won == by_player
    value = tickets.ticket_value(prizes)
    holders = tickets.ticket_entries(prizes, entries)
    assert in_tickets == Counter({f"{entry.player_id}": value for entry in holders})
    for place in {*places} if ticket is None else ():
        shared = [site[str(entry.public_id)] for entry in entries if entry.place == place]
        assert max(shared) - min(shared) <= 1


@settings(deadline=None)
@given(amounts, st.lists(st.integers(0, 10_000), min_size=1, max_size=20).filter(any))
def test_shares_by_weights_are_the_same(total: int, weights: list[int]) -> None:
    assert SCRIPT["by_remainder"](total, weights) == list(largest_remainder(total, weights))


@settings(deadline=None)
@given(
    net=amounts,
    bps=st.integers(0, 10_000),
    cess=st.integers(0, 1_000),
    surcharges=st.lists(st.tuples(amounts, st.integers(0, 4_000)), max_size=4),
    before=amounts,
)
def test_withheld_tax_is_the_same(
    net: int, bps: int, cess: int, surcharges: list[tuple[int, int]], before: int
) -> None:
    ascending = sorted(dict(surcharges).items())
    rate = TaxRate(bps=bps, cess_bps=cess, surcharges=ascending, treatment="withheld")
    row = {
        "bps": f"{bps}", "cess_bps": f"{cess}", "surcharges": json.dumps(ascending),
        "treatment": "withheld",
    }  # fmt: skip

    found = SCRIPT["Taxes"]([]).tax(row, net, net + before)

    assert found == rate.at(net + before).of(net).total
