"""Seasons of people in virtual time, with games and tournaments of all kinds, and their report.

This process plays all moves: in most deals the weaker players drop at once, the others play on as
bots do. The same seed gives the same report, apart from its seconds.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import chain, cycle, islice
from typing import Any, Final
from unittest.mock import patch

from django.db import connection
from django.db.models import QuerySet
from django.test.utils import override_settings

from core.partitions import partitions
from devtools.demo_site.players_and_tables import open_karnataka
from devtools.sample_data import games
from devtools.sample_data.fake_clock import FakeClock, advance_frozen, fake_clock, freeze
from devtools.sample_data.tournaments import SWEEPS_MAX, enter
from devtools.simulation.tournaments import checks_of, pay_more
from finance.closing.actions import close_days
from players.accounts.consent import VERSION
from players.accounts.models import User
from rummy import PROFILES, history
from tables.games import game_of, opening
from tables.history.deal_file import history_name, history_text
from tables.history.games import score_sheet
from tables.lobby.table_templates import profiles
from tables.models.deals import Deal, Move
from tables.models.tables import Table
from tables.models.templates import RuleProfile
from tables.ratings import actions as ratings
from tables.seats import seating
from tournaments.leagues import recomputing, seasons
from tournaments.leagues.closing import CLOSES_AFTER
from tournaments.leagues.contests import contest_points
from tournaments.leagues.models import DEFAULT_POINTS, LeagueResult, Outcome, Season, Standing
from tournaments.planning import opening as tournament_opening
from tournaments.planning.models import Tournament
from tournaments.planning.template_models import TournamentTemplate
from tournaments.rounds import clock
from wallet.audit import audit, seals
from wallet.bonuses import play_points
from wallet.ledger.models import Account, Entry, Transfer
from wallet.ledger.money import PLAY_POINTS

BEGINS_ON: Final = date(2026, 4, 6)
ENTRY_MINOR: Final = 100_00
POOLS_MINOR: Final = (5_000_00, 2_000_00, 1_000_00)
LEAST_ENTRANTS: Final = 6
# Each season moves this share of a division's players, and one at least.
MOVED: Final = 20
# The share of deals that the strongest and the weakest player drop on the first turn.
DROPS: Final = (0.7, 0.98)
POOL: Final = "total-rummy-pool-61"
ONE_DEAL: Final = "one-deal-for-chips"
RULES: Final = {
    POOL: PROFILES[POOL],
    ONE_DEAL: PROFILES["total-rummy-points"].with_(name=ONE_DEAL, game="deals", deals=1, chips=240),
}
SMALL: Final[dict[str, Any]] = {"seats": 3, "qualify": 1, "final_seats": 3}
# The tournaments of the days: the name, the rules, and the terms. The freeroll's prizes are tickets
# to the next day's knock-out.
KINDS: Final[tuple[tuple[str, str, dict[str, Any]], ...]] = (
    ("freeroll", ONE_DEAL, {"entry_minor": 0, "guarantee_minor": 5 * ENTRY_MINOR}),
    ("knockout", ONE_DEAL, {}),
    ("balanced", POOL, {"kind": "balanced"}),
    ("race", ONE_DEAL, {"kind": "race", "round_minutes": 2}),
    ("reentry", ONE_DEAL, {"reentries_max": 1, "late_minutes": 10}),
    ("addon", ONE_DEAL, {"addon_minor": 40_00, "addon_chips": 80, "addon_minutes": 1}),
    ("shootout", POOL, {"kind": "shootout"}),
)


class SeasonGame(games.Game):
    """A game whose players drop weak hands the more often the weaker they are."""

    def _plan(self, player: int) -> int:
        strongest, weakest = DROPS
        return int(self._happens(weakest - (weakest - strongest) * skill_of(player)))


def skill_of(player: int) -> float:
    """Return the skill of the player with this key, from 0 to 1; it never changes."""
    return player * 37 % 101 / 100


@dataclass
class Site:
    """The players and the terms of the simulated seasons."""

    site_clock: FakeClock
    players: Sequence[User]
    templates: dict[str, TournamentTemplate]
    profiles: dict[str, RuleProfile]
    seasons: list[Season]
    tournaments: list[Tournament] = field(default_factory=list)
    _regulars: Iterator[User] = field(init=False)
    _others: Iterator[User] = field(init=False)

    def __post_init__(self) -> None:
        number = max(LEAST_ENTRANTS, len(self.players) // 20)
        self._regulars = cycle(self.players[:number])
        self._others = cycle(self.players[number:])

    def some(self, number: int) -> list[User]:
        """Return the next players in turn: half of them regulars, who play in all seasons."""
        regulars = number // 2
        return [*islice(self._regulars, regulars), *islice(self._others, number - regulars)]

    def live(self, no: int, day: date) -> None:
        """Live through day `no`: the night's tasks, games, and a tournament."""
        self.site_clock.move_to(self.site_clock.at(day, 0, 10))
        if no % 7 == 0:
            partitions.make_months()
        close_days()
        seals.seal_ledger()
        self._count()
        self.site_clock.move_to(self.site_clock.at(day, 10))
        for number in range(max(2, len(self.players) // 160)):
            self._play_game(POOL if number % 4 == 0 else ONE_DEAL, 2 + number % 2)
        self._count()
        self.site_clock.move_to(self.site_clock.at(day, 17))
        self._play_tournament(KINDS[no % len(KINDS)][0])
        self._count()

    def _count(self) -> None:
        """Rate games and count contests, as the sweeps do."""
        self.site_clock.think(60)
        ratings.rate_due_games(now=self.site_clock.now)
        seasons.sweep()

    def _play_game(self, rules: str, number: int) -> None:
        table = opening.open_table(
            profile=self.profiles[rules],
            name="Season",
            currency=PLAY_POINTS,
            entry_minor=ENTRY_MINOR,
            rake_bps=1_000,
            seats_min=number,
            seats_max=number,
        )
        for player in self.some(number):
            self.site_clock.think(1)
            seating.join(table_id=table.pk, player=player, stack=game_of(table).bot_stack(table))
        SeasonGame(self.site_clock, table.pk).play()

    def _play_tournament(self, kind: str) -> None:
        site_clock = self.site_clock
        tournament = tournament_opening.open_tournament(
            template=self.templates[kind],
            starts_at=site_clock.now + timedelta(hours=2),
            now=site_clock.now,
        )
        self.tournaments.append(tournament)
        for _ in range(3):
            clock.sweep(now=site_clock.now)
        with patch.object(site_clock, "think", lambda _seconds: None):
            enter(site_clock, tournament, self.some(tournament.entrants_max))
        tournament.refresh_from_db()
        site_clock.move_to(tournament.starts_at or site_clock.now)
        for _ in range(SWEEPS_MAX):
            clock.sweep(now=site_clock.now)
            tournament.refresh_from_db()
            if tournament.is_over:
                return
            pay_more(tournament)
            tables = Table.objects.live().filter(owner_ref=tournament.owner_ref).order_by("pk")
            live = list(tables.values_list("pk", flat=True))
            for pk in live:  # A deal of each, so that all are played at the same time.
                SeasonGame(site_clock, pk, thinks_max=0.05).play_deal()
            if not live and tournament.due_at is not None:
                site_clock.move_to(tournament.due_at)
            site_clock.think(1)
        raise AssertionError(f"{tournament} does not end")


def simulate_seasons(
    *, weeks: int, players: int, seed: str, progress: Callable[[str], object]
) -> dict[str, Any]:
    """Simulate seasons of two weeks each, at least three, in an empty database."""
    began, days = time.monotonic(), weeks * 7
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = off")
    with _frozen_clock(f"season {seed}") as site_clock:
        site = _prepare(site_clock, days, players)
        for no in range(days):
            day = BEGINS_ON + timedelta(days=no)
            site.live(no, day)
            progress(
                f"{day}  day {no + 1} of {days}, {Move.objects.count()} moves, "
                f"{LeagueResult.objects.count()} results, {time.monotonic() - began:.0f} s"
            )
        site_clock.move_to(site.seasons[-1].ends_at + CLOSES_AFTER)
        site._count()
        seals.seal_ledger()
        report = _report(site, weeks)
    return report | {"seed": seed, "seconds": round(time.monotonic() - began, 1)}


@contextmanager
def _frozen_clock(seed: str) -> Iterator[FakeClock]:
    with (
        override_settings(BOT_THINK_SECONDS=0.0),
        patch.object(games, "MISSES", 0.0),  # The clock of all other tables would run meanwhile.
        fake_clock(began_on=BEGINS_ON, seed=seed) as site_clock,
    ):
        freeze(site_clock)
        with patch.object(FakeClock, "agree", advance_frozen):
            yield site_clock


def _prepare(site_clock: FakeClock, days: int, number: int) -> Site:
    open_karnataka()
    operator = User.objects.create_user(handle="operator", email="operator@example.com")
    players = [
        User.objects.create_user(
            handle=f"player_{no}",
            email=f"player{no}@example.com",
            birth_date=date(1990, 1, 1),
            country="IN",
            region="KA",
            consent_version=VERSION,
        )
        for no in range(1, number + 1)
    ]
    for player in players:  # Enough for a hundred entries.
        play_points.grant_sign_up(player=player)
    stored = {name: profiles.register_profile(rules) for name, rules in RULES.items()}
    templates = {
        name: TournamentTemplate(
            slug=f"season-{name}",
            name=f"Season {name}",
            profile=stored[rules],
            **SMALL
            | {
                "entrants_max": max(LEAST_ENTRANTS, number // 50),
                "entrants_min": 2,
                "entry_minor": ENTRY_MINOR,
                "rake_bps": 1_000,
                "is_offered": False,
            }
            | terms,
        )
        for name, rules, terms in KINDS
    }
    templates["freeroll"].awards = templates["knockout"]
    for template in reversed(templates.values()):  # The knock-out before its freeroll.
        tournament_opening.change_template(template=template, by=operator)
    planned = _plan(site_clock, days, max(1, number // MOVED), operator)
    return Site(site_clock, players, templates, stored, planned)


def _plan(site_clock: FakeClock, days: int, moved: int, by: User) -> list[Season]:
    """Plan consecutive seasons with divisions."""
    number = max(3, days // 14)
    begins = site_clock.at(BEGINS_ON, 9)
    planned: list[Season] = []
    for no in range(number):
        season = Season(
            name=f"Season {no + 1}",
            starts_at=begins + timedelta(days=days * no / number),
            ends_at=begins + timedelta(days=days * (no + 1) / number),
            follows=planned[-1] if planned else None,
            pools_minor=list(POOLS_MINOR),
            promoted=moved,
            relegated=moved,
        )
        planned.append(seasons.plan_season(season=season, by=by))
    return planned


def _report(site: Site, weeks: int) -> dict[str, Any]:
    audited = audit.audit()
    differences = recomputing.differences()
    played = [Tournament.objects.get(pk=each.pk) for each in site.tournaments]
    failed = [
        f"{each}: {name}" for each in played for name, ok in checks_of(each).items() if not ok
    ]
    of_files = list(differing_files(Table.objects.filter(owner_ref="")))
    rows = [_season_row(Season.objects.get(pk=season.pk)) for season in site.seasons]
    escrows = Account.objects.filter(kind=Account.Kind.ESCROW).exclude(balance_minor=0)
    tables = Table.objects.filter(owner_ref="")
    checks = {
        "tournaments": not failed,
        "games": tables.count() == tables.filter(phase=Table.Phase.FINISHED).count(),
        "prizes": all(row["prizes_minor"] == row["overlay_minor"] for row in rows),
        "escrow": not escrows.exists(),
        "audit": audited.is_clean,
        "leaderboards": not differences,
        "history_files": not of_files,
        "seasons": all(row["state"] == Season.State.CLOSED for row in rows),
        "divisions": all(any(row[name] for row in rows) for name in ("promoted", "relegated")),
    }
    return {
        "ok": all(checks.values()),
        "checks": checks,
        "findings": [*failed, *map(str, audited.findings), *differences, *of_files][:20],
        "weeks": weeks,
        "players": len(site.players),
        "seasons": rows,
        "tournaments": len(played),
        "entries": sum(each.entries.exclude(draw_no=None).count() for each in played),
        "games": tables.count(),
        "hosted_tables": Table.objects.exclude(owner_ref="").count(),
        "deals": Deal.objects.settled().count(),
        "moves": Move.objects.count(),
        "transfers": Transfer.objects.count(),
        "history_files": Deal.objects.settled().filter(table__owner_ref="").count(),
        "results": LeagueResult.objects.count(),
        "events": _hash(),
    }


def differing_files(tables: QuerySet[Table]) -> Iterator[str]:
    """Yield games whose results in the seasons differ from the files that players can export.

    The history file of each deal is verified and played again, and must give the points of the
    score sheet. The places in the sheet's results give the points of the season.
    """
    for table in tables.select_related("profile").order_by("pk"):
        sheet = score_sheet(table)
        settled = Deal.objects.settled().filter(table=table).select_related("reveal")
        played = {deal.no: _points_of(deal, table) for deal in settled}
        for row in sheet.sheet:
            shown = {
                seat.handle: cell.points
                for seat, cell in zip(sheet.seats, row.cells, strict=True)
                if cell.points is not None
            }
            if shown != played.get(row.no, {}):
                yield f"{table.public_id}: deal {row.no} has {shown}, its file {played.get(row.no)}"
        places = [row.place for row in sheet.results]
        won = contest_points(DEFAULT_POINTS, places, is_weighted=True)
        expected = {(row.handle, row.place, w) for row, w in zip(sheet.results, won, strict=True)}
        stored = LeagueResult.objects.filter(table=table.pk)
        found = set(stored.values_list("player__handle", "place", "points"))
        if found != expected:
            yield f"{table.public_id}: {sorted(found)} is stored, {sorted(expected)} follows"


def _points_of(deal: Deal, table: Table) -> dict[str, int]:
    """Return the points of each player that the history file of a deal gives."""
    deal.table = table
    text = history_text(deal)
    *_, end = (file := history.loads(text))
    if (ended := file.family.outcome(end)) is None:
        raise ValueError(f"the deal of {history_name(deal)} has not ended")
    seats = re.findall(r"p(\d+) (\w+)", text.splitlines()[2])
    return {handle: ended.results[int(position) - 1].points for position, handle in seats}


def _season_row(season: Season) -> dict[str, Any]:
    outcomes = Outcome.objects.filter(season=season)
    moves = [row.next_division - row.division for row in outcomes]
    return {
        "name": season.name,
        "state": season.state,
        "players": LeagueResult.objects.filter(season=season).values("player").distinct().count(),
        "promoted": moves.count(-1),
        "relegated": moves.count(1),
        "prizes_minor": sum(row.prize_minor for row in outcomes),
        "overlay_minor": season.overlay_minor,
    }


def _hash() -> str:
    """Return a hash of transfers, moves, leaderboards and outcomes."""
    board = ("board__season__name", "board__span", "board__division", "board__begins_on", "player")
    facts: list[QuerySet[Any, Any]] = [
        Entry.objects.order_by("pk").values_list("transfer__key", "account", "amount_minor"),
        Move.objects.order_by("table", "deal", "ply").values_list("table", "text", "made_at"),
        Standing.objects.order_by(*board).values_list(*board, "points", "wins", "games"),
        Outcome.objects.order_by("season", "player").values_list(
            "season", "player", "place", "next_division", "prize_minor"
        ),
    ]
    digest = hashlib.sha256()
    for row in chain.from_iterable(rows.iterator() for rows in facts):
        digest.update(repr(row).encode())
    return digest.hexdigest()[:16]
