"""Tournaments of bots for simulations, run by the workers, and their report."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

from django.db.models import QuerySet, Sum
from django.utils import timezone

import rummy
from core.clock import database_now
from players.accounts.models import User
from tables.history.fairness import seeds
from tables.models.deals import Move
from tables.models.tables import Table
from tables.models.templates import RuleProfile
from tournaments.entries import late_entries
from tournaments.entries.models import Entry
from tournaments.exceptions import TournamentError
from tournaments.lobby import registration
from tournaments.planning import opening
from tournaments.planning.models import Tournament
from tournaments.planning.template_models import TournamentTemplate
from tournaments.rounds.draw import draw_order
from wallet.audit import audit
from wallet.bonuses import play_points
from wallet.ledger.models import Account
from wallet.stakes.models import Stake


def open_bot_tournament(
    *, profile: RuleProfile, entrants: int, entry_minor: int, rake_bps: int, **terms: Any
) -> Tournament:
    """Open a tournament that starts now and is filled with bots."""
    now = timezone.now()
    template = TournamentTemplate.objects.create(
        slug=f"simulation-{now:%Y%m%d%H%M%S%f}",
        name=f"{seeds.SIMULATED}{profile.name}"[:80],
        profile=profile,
        **{
            "entrants_max": entrants,
            "entrants_min": 2,
            "entry_minor": entry_minor,
            "rake_bps": rake_bps,
            "bots_fill": True,
            "is_offered": False,
        }
        | terms,
    )
    return opening.open_tournament(
        template=template, starts_at=now + timedelta(milliseconds=1), now=now
    )


def pay_more(tournament: Tournament) -> None:
    """Let eliminated players enter again, and qualifiers with even draw numbers buy the add-on."""
    pk = tournament.pk
    if tournament.round_no != 1 or not (tournament.reentries_max or tournament.addon_minor):
        return
    drawn = tournament.entries.select_related("player").order_by("draw_no")
    wanted: list[tuple[User, Callable[[], Entry]]] = []
    if late_entries.are_open(tournament, database_now()):
        out = drawn.filter(state=Entry.State.OUT, is_late=False, reentries=None)
        wanted += [
            (entry.player, partial(registration.reenter, tournament_id=pk, player=entry.player))
            for entry in out
        ]
    if tournament.addon_until is not None:
        through = drawn.filter(state=Entry.State.QUALIFIED, addon_stake=None)
        wanted += [
            (entry.player, partial(registration.add_on, entry_id=entry.pk))
            for entry in through
            if (entry.draw_no or 0) % 2 == 0
        ]
    for player, act in wanted:
        if player.is_bot:
            price = max(tournament.entry, tournament.addon)
            play_points.ensure_points(player=player, at_least=price)
        with suppress(TournamentError):  # The period has ended meanwhile.
            act()


def progress(tournament: Tournament) -> str:
    """Return one line about the tournament's progress."""
    tables = Table.objects.filter(owner_ref=tournament.owner_ref)
    live = tables.live().count()
    moves = Move.objects.filter(deal__table__in=tables).count()
    return f"round {tournament.round_no}, {live} of {tables.count()} tables live, {moves} moves"


def report_on(tournament: Tournament, *, seconds: float, seed: str) -> dict[str, Any]:
    """Return places and money and repeat the draw; `ok` is True if all is consistent."""
    entries = _drawn(tournament)
    stakes, paid_in, rake = _paid(tournament)
    audited = audit.audit()
    checks = checks_of(tournament) | {"audit": audited.is_clean}
    left = Account.objects.get(pk=tournament.escrow_account_id).balance_minor
    moves = Move.objects.filter(deal__table__owner_ref=tournament.owner_ref).count()
    return {
        "ok": all(checks.values()),
        "checks": checks,
        "seed": seed,
        "entrants": len(entries),
        "rounds": [
            {
                "no": this.no,
                "tables": this.round_tables.count(),
                "entrants": len(this.seatings.sums()),
            }
            for this in tournament.rounds.all()
        ],
        "moves": moves,
        "rejoins": stakes.filter(tournament_entry=None, tournament_addon=None).count(),
        "reentries": sum(entry.reenters_id is not None for entry in entries),
        "add_ons": sum(entry.addon_stake_id is not None for entry in entries),
        "entries_minor": paid_in,
        "rake_minor": rake,
        "overlay_minor": tournament.overlay_minor,
        "prize_pool_minor": tournament.prize_minor,
        "prizes": [
            {"place": entry.place, "tied": entry.tied, "minor": entry.prize_minor}
            for entry in entries
            if entry.prize_minor
        ],
        "escrow_left_minor": left,
        "draw_commitment": tournament.commitment,
        "draw_seed": tournament.revealed_seed,
        "seconds": round(seconds, 2),
        "moves_per_second": round(moves / seconds, 1),
    }


def checks_of(tournament: Tournament) -> dict[str, bool]:
    """Return what must be true of a tournament that is over, by name."""
    entries, (_, paid_in, rake) = _drawn(tournament), _paid(tournament)
    prizes = sum(entry.prize_minor for entry in entries)
    return {
        "finished": tournament.state == Tournament.State.FINISHED,
        "places": places_are_whole(entries),
        "prizes": prizes == tournament.prize_minor == paid_in - rake + tournament.overlay_minor,
        "escrow": Account.objects.get(pk=tournament.escrow_account_id).balance_minor == 0,
        "draw": draw_is_as_published(tournament, entries),
    }


def _drawn(tournament: Tournament) -> list[Entry]:
    return list(tournament.entries.exclude(draw_no=None).order_by("place", "draw_no"))


def _paid(tournament: Tournament) -> tuple[QuerySet[Stake], int, int]:
    """Return the stakes, their sum and the rake; a re-entry that was left over is refunded."""
    stakes = Stake.objects.filter(escrow=tournament.escrow_account).exclude(status="refunded")
    total = stakes.aggregate(paid=Sum("entry_minor"), rake=Sum("rake_minor"))
    return stakes, total["paid"] or 0, total["rake"] or 0


def places_are_whole(entries: list[Entry]) -> bool:
    """Return whether places run from 1 to the last, each once, ties counted explicitly."""
    expected = 1
    while expected <= len(entries):
        tied = [entry for entry in entries if entry.place == expected]
        if not tied or any(entry.tied != len(tied) for entry in tied):
            return False
        expected += len(tied)
    return expected == len(entries) + 1


def draw_is_as_published(tournament: Tournament, entries: list[Entry]) -> bool:
    """Return whether the published seed gives the same draw."""
    seed = bytes.fromhex(tournament.revealed_seed)
    if rummy.commitment(seed) != tournament.commitment:
        return False
    numbers = {str(entry.public_id): entry.draw_no for entry in entries if not entry.is_late}
    order = draw_order(seed, list(numbers))
    return [numbers[one] for one in order] == list(range(1, len(order) + 1))
