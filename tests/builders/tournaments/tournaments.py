"""Builders of tournaments, valid by default."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from typing import Any
from uuid import uuid4

from django.utils import timezone

import rummy
from tables.lobby.table_templates import profiles
from tables.models.tables import Table
from tables.play.actions import make_move
from tables.settlement import scoring
from tables.state import clock as table_clock
from tables.state.fold import fold_of
from tests.builders.tables.making import make_player, make_rules
from tests.builders.tables.playing import at_once as run_at_once
from tests.builders.tables.playing import deal_at, reread, run_out
from tournaments.entries.models import Entry
from tournaments.exceptions import TournamentError
from tournaments.lobby import registration
from tournaments.planning import opening
from tournaments.planning.models import Tournament
from tournaments.planning.template_models import TournamentTemplate
from tournaments.planning.terms_models import StartRule
from tournaments.rounds import clock, rounds

_numbers = count(1)

# Rules of a pool that ends in a few moves: two first drops eliminate a player.
SHORT = {"limit": 81, "first_drop": 41, "middle_drop": 80, "cap": 80}


def make_template(*, rules: rummy.Rules | None = None, **overrides: Any) -> TournamentTemplate:
    number = next(_numbers)
    fields = {
        "slug": f"template-{number}",
        "name": f"Template {number}",
        "profile": profiles.register_profile(rules or make_rules(**SHORT)),
        "seats": 3,
        "qualify": 1,
        "final_seats": 3,
        "entrants_max": 27,
        "entrants_min": 2,
        "entry_minor": 100_00,
        "rake_bps": 1_000,
    } | overrides
    return TournamentTemplate.objects.create(**fields)


def make_tournament(*, starts_in: float = 60, **overrides: Any) -> Tournament:
    """Return a tournament with open registration that starts in `starts_in` minutes."""
    now = timezone.now()
    template = make_template(announce_hours=48, register_hours=24, **overrides)
    is_scheduled = template.start_rule == StartRule.SCHEDULED
    starts_at = now + timedelta(minutes=starts_in) if is_scheduled else None
    tournament = opening.open_tournament(template=template, starts_at=starts_at, now=now)
    while is_scheduled and Tournament.objects.get(pk=tournament.pk).state != "registering":
        clock.apply_overdue(tournament_id=tournament.pk, now=now)
    return again(tournament)


def make_sit_and_go(**overrides: Any) -> Tournament:
    return make_tournament(start_rule=StartRule.WHEN_FULL, **overrides)


def again(tournament: Tournament) -> Tournament:
    return Tournament.objects.select_related("profile").get(pk=tournament.pk)


def enter(tournament: Tournament, number: int = 1) -> list[Entry]:
    return [
        registration.register(tournament_id=tournament.pk, player=make_player())
        for _ in range(number)
    ]


def start(tournament: Tournament) -> Tournament:
    """Start the tournament and open its first tables."""
    tournament = again(tournament)
    assert tournament.starts_at is not None
    tick(tournament, tournament.starts_at)
    return again(tournament)


def tick(tournament: Tournament, now: datetime | None = None) -> Tournament:
    """Run the clock once for all tournaments, at this time."""
    clock.sweep(now=now or timezone.now())
    return again(tournament)


def tables_of(tournament: Tournament) -> list[Table]:
    return list(Table.objects.live().filter(owner_ref=tournament.owner_ref).order_by("pk"))


def play_table(table: Table) -> Table:
    """Play a table's last deal; all players who may drop do, so all but one tie."""
    Table.objects.live().filter(pk=table.pk).update(is_last_deal=True)
    return play_whole_table(table)


def play_whole_table(table: Table) -> Table:
    """Play a table until one player is left."""
    table = reread(table)
    while not table.is_over:
        step(table)
        table = reread(table)
    return table


def step(table: Table) -> None:
    if table.phase == Table.Phase.SETTLING:
        scoring.settle_deal(deal_id=deal_at(table).pk)
        return
    table_clock.apply_overdue(table_id=table.pk, now=timezone.now())
    if reread(table).version != table.version:  # The clock has moved for an absent player.
        return
    if table.phase not in (Table.Phase.PLAYING, Table.Phase.SHOWING):
        run_out(table, seconds=60)
        table_clock.apply_overdue(table_id=table.pk, now=timezone.now())
        return
    deal = deal_at(table)
    state = fold_of(deal).state
    family = rummy.family_of(state.rules)
    status = family.status(state)
    position = status.to_act if status.phase == "playing" else min(status.waiting)
    legal = family.legal_moves(state, position)
    if rummy.Drop(position) in legal:
        text = "drop"
    else:
        text = rummy.bots.choose(family.view(state, position), legal).text
    make_move(
        seat=deal.deal_seats.get(position=position).seat_id,
        move_id=uuid4(),
        text=text,
        expected_version=table.version,
        window_id=table.window_id,
    )


def play_round(tournament: Tournament, play: Callable[[Table], Table] = play_table) -> Tournament:
    """Play all tables of the round, then run the clock."""
    for table in tables_of(tournament):
        play(table)
    return tick(tournament)


def play_and_record(tournament: Tournament) -> None:
    """Play all tables of the round and record their results, without closing the round."""
    for table in tables_of(tournament):
        play_table(table)
    this = tournament.rounds.latest("no")
    for round_table in this.round_tables.filter(table__isnull=False):
        rounds.take_result(round_table_id=round_table.pk)


def play_to_the_end(
    tournament: Tournament, play: Callable[[Table], Table] = play_table
) -> Tournament:
    for _ in range(20):
        tournament = play_round(tournament, play)
        if tournament.is_over:
            return tournament
    raise AssertionError("the tournament has not ended")


def at_once(jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run the jobs in threads; return their results or errors."""

    def guarded(job: Callable[[], Any]) -> Any:
        try:
            return job()
        except TournamentError as refusal:
            return refusal

    return run_at_once([partial(guarded, job) for job in jobs])
