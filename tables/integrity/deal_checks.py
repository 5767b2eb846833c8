"""Compare a finished deal with the result computed from its seed and moves (RB 4, 5, 12)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import rummy
from tables.games import game_of
from tables.history.deal_file import history_after
from tables.models.deals import Deal, DealSeat
from tables.settlement.game_record import GameRecord
from tables.settlement.scoring import score_of
from wallet.audit.audit import Finding

# The computed fields of a score; not the arrangement, as a hand may have several equal ones.
_SCORED: Final = ("points", "how", "chips_after", "won_minor")


class KeptMove(NamedTuple):
    ply: int
    seat_id: int
    text: str


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """A settled or void deal with all of its rows."""

    deal: Deal
    # Of the deal before it.
    chain_before: str
    head_before: str
    # Reads its game, from which a deal carries over totals.
    game: Callable[[], GameRecord]
    # By ply; None if they are in an archive that is not being read.
    moves: Sequence[KeptMove] | None

    @property
    def places(self) -> Sequence[DealSeat]:
        """The seats dealt in, by position."""
        return [*self.deal.deal_seats.all()]


def differences(played: PlayedDeal) -> Iterator[Finding]:
    """Yield stored rows of a deal that contradict its commitment, seed and moves."""
    deal, subject = played.deal, f"deal {played.deal.pk}"
    before = played.chain_before, played.head_before, deal.redrawn.split()
    if rummy.chained(deal.commitment, *before) != deal.chain:
        yield Finding("chain_broken", subject, "does not follow the deal before it")
    if deal.started_at is None:
        return
    if getattr(deal, "reveal", None) is None:
        yield Finding("seed_not_revealed", subject, f"is {deal.status} without its seed")
        return
    try:
        seed = bytes.fromhex(deal.reveal.server_seed)
        committed = rummy.commitment(seed, deal.table.profile.sha256)
    except ValueError:
        committed = ""
    if committed != deal.commitment:
        yield Finding("seed_differs", subject, "its revealed seed is not the committed one")
        return
    try:
        yield from _played(played, subject)
    except rummy.RummyError as error:
        yield Finding("replay_refused", subject, str(error))


def _played(played: PlayedDeal, subject: str) -> Iterator[Finding]:
    texts = [move.text for move in played.moves or ()]
    before = {"chain": played.chain_before, "head": played.head_before}
    history = history_after(played.deal, texts, **before)
    yield from _toss(played, history, subject)
    if played.moves is None:
        return
    seats = {place.position: place.seat_id for place in played.places}
    for ply, (kept, move) in enumerate(zip(played.moves, history.moves, strict=True), start=1):
        if (kept.ply, kept.seat_id) != (ply, seats.get(move.position)):
            yield Finding("move_seat", subject, f"move {kept.ply} is not of the seat it names")
    if history.last_head != played.deal.reveal.head:
        yield Finding("head_differs", subject, "its moves are not those that its last head binds")
    end = history.end
    if played.deal.status == Deal.Status.SETTLED:
        yield from _scores(played, history.family.outcome(end), subject)


def _toss(played: PlayedDeal, history: rummy.History, subject: str) -> Iterator[Finding]:
    if not history.has_toss:
        return
    if rummy.format_cards(history.tossed) != played.deal.toss:
        yield Finding("toss_differs", subject, "its seed tosses other cards")
        return
    seats = sorted(place.seat_id for place in played.places)
    order = [seats[place] for place in rummy.toss_order(history.tossed)]
    if order != [place.seat_id for place in played.places]:
        yield Finding("turn_order", subject, "its seats do not sit in the order of the toss")


def _scores(
    played: PlayedDeal, outcome: rummy.AnyOutcome | None, subject: str
) -> Iterator[Finding]:
    if outcome is None:
        yield Finding("deal_not_over", subject, "is settled, and its moves do not end it")
        return
    deal = played.deal
    if outcome.ending != deal.ending:
        detail = f"says it ended by {deal.ending or 'nothing'}, its moves by {outcome.ending}"
        yield Finding("ending_differs", subject, detail)
    results: Sequence[rummy.AnyResult] = outcome.results
    expected = [
        score_of(deal.table, deal, place.seat, result)
        for place, result in zip(played.places, results, strict=True)
    ]
    game_of(deal.table).complete(deal.table, deal, expected, played.game)
    kept = {score.seat_id: score for score in deal.scores.all()}
    for score in expected:
        stored = kept.get(score.seat_id)
        if stored is None:
            continue  # Reported by `sql/play.sql`.
        for field in _SCORED:
            was, computed = getattr(stored, field), getattr(score, field)
            if was != computed:
                detail = f"its {field} is {was}, the moves of {subject} come to {computed}"
                yield Finding("score_differs", f"score {stored.pk}", detail)
