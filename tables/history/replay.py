"""A finished deal with every step, its times and all hands, computed from its history file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import rummy
from players.accounts.models import User
from tables.games import game_of
from tables.games.cards import JudgedGroup
from tables.games.game import Game
from tables.history.deal_file import history_of
from tables.models.deals import Deal, DealSeat, Move
from tables.state import phases
from tables.state.rules import family_of, variant_of
from wallet.ledger.amounts import Amount


@dataclass(frozen=True, slots=True)
class ReplayMove:
    """One move, with the card that only its player saw."""

    ply: int
    position: int
    handle: str
    # "player", "bot" or "clock".
    origin: str
    action: str
    text: str
    # The card drawn, discarded, laid off or finished with.
    card: str | None
    groups: list[str]
    loose: str
    # When the position's turn began; null for leaving out of turn.
    used_ms: int | None
    extra_ms: int
    made_at: datetime


@dataclass(frozen=True, slots=True)
class ReplaySeat:
    position: int
    handle: str
    # A name in `players.accounts.avatars`.
    avatar: str
    is_bot: bool
    is_me: bool


@dataclass(frozen=True, slots=True)
class ReplayHand:
    """One position after a step, its cards by suit: "5H 6H | KD | PJ"."""

    standing: str
    to_act: bool
    hand: str
    # The groups it has laid down; its other cards follow a slash. "" before.
    laid: str
    drawn: str | None
    misses: int
    extra_ms_left: int


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """The deal after one move; the hands in order of their positions."""

    stock: int
    reshuffles: int
    # Bottom first.
    open_pile: list[str]
    hands: list[ReplayHand]


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """A position's result of the deal, and the hand it was scored from (RB 4.1)."""

    position: int
    handle: str
    points: int
    how: str
    # Null for a void deal, which has no totals.
    total: int | None
    # Deals rummy: the chips after this deal. Points tables: the amount won or lost.
    chips: int | None
    won: Amount | None
    arrangement: str
    submitted: list[JudgedGroup]
    reasons: list[str]


@dataclass(frozen=True, slots=True)
class SeedLine:
    handle: str
    text: str


@dataclass(frozen=True, slots=True)
class TossLine:
    handle: str
    card: str


@dataclass(frozen=True, slots=True)
class Replay:
    """A finished deal; `steps[0]` is as dealt, `steps[n]` after the n-th of its moves."""

    table_id: UUID
    name: str
    variant: str
    deal_no: int
    is_void: bool
    started_at: datetime
    ended_at: datetime | None
    # Empty in games without a wild card.
    wild: str
    wild_rank: str
    seats: list[ReplaySeat]
    steps: list[ReplayStep]
    moves: list[ReplayMove]
    ending: str
    # Null if the deal was voided while it was played.
    results: list[ReplayResult] | None
    commitment: str
    chain: str
    server_seed: str
    client_seeds: list[SeedLine]
    toss: list[TossLine]


def replay(deal: Deal, viewer: User | None) -> Replay:
    """Return a revealed deal with all its steps."""
    history = history_of(deal)
    places = list(deal.deal_seats.select_related("seat__player").order_by("position"))
    rows = list(deal.moves.order_by("ply"))
    states = list(history)
    game, family = game_of(deal.table), family_of(deal.table.profile)
    on_table = game.on_table(family.public_view(states[0]))
    return Replay(
        table_id=deal.table.public_id,
        name=deal.table.name,
        variant=variant_of(deal.table.profile),
        deal_no=deal.no,
        is_void=deal.status == Deal.Status.VOID,
        started_at=deal.started_at or deal.committed_at,
        ended_at=deal.ended_at,
        wild=on_table.wild,
        wild_rank=on_table.wild_rank,
        seats=[seat_shown(place, viewer) for place in places],
        steps=[_step(game, family, state) for state in states],
        moves=list(_moves(deal, places, rows, states, history.moves)),
        ending=states[-1].ending or "",
        results=_results(game, deal, states[-1], places),
        commitment=deal.commitment,
        chain=deal.chain,
        server_seed=deal.reveal.server_seed,
        client_seeds=_client_seeds(deal, places),
        toss=_toss(history, places),
    )


def _moves(
    deal: Deal,
    places: Sequence[DealSeat],
    rows: Sequence[Move],
    states: Sequence[rummy.AnyDeal],
    moves: Sequence[rummy.Move],
) -> Iterator[ReplayMove]:
    toss_seconds = phases.toss_seconds(deal.table) if deal.toss else 0
    since = (deal.started_at or deal.committed_at) + timedelta(seconds=toss_seconds)
    for row, before, after, move in zip(rows, states, states[1:], moves, strict=False):
        in_window = before.phase == "showing"
        is_due = in_window or before.to_act == move.position
        laid = move if isinstance(move, rummy.Show | rummy.Meld) else None
        yield ReplayMove(
            ply=row.ply,
            position=move.position,
            handle=places[move.position - 1].seat.player.handle,
            origin=row.origin,
            action=move.action,
            text=row.text,
            card=_card(move, before, after),
            groups=[rummy.format_cards(group) for group in laid.groups] if laid else [],
            loose=rummy.format_cards(laid.loose) if laid else "",
            used_ms=_milliseconds(row.made_at - since) if is_due else None,
            extra_ms=move.extra_ms,
            made_at=row.made_at,
        )
        if is_due and not in_window:  # Answers in a window all start at the show.
            since = row.made_at


def _card(move: rummy.Move, before: rummy.AnyDeal, after: rummy.AnyDeal) -> str | None:
    """Return a move's card; for a timeout after a draw, the card discarded by the clock."""
    card: rummy.Card | None = None
    match move:
        case rummy.Discard() | rummy.LayOff():
            card = move.card
        case rummy.Show():
            card = move.finish
        case rummy.Draw():
            card = after.drawn
        case rummy.Miss() if before.to_act == move.position:
            card = before.drawn
    return None if card is None else str(card)


def seat_shown(place: DealSeat, viewer: User | None) -> ReplaySeat:
    """Return a position of the deal as this viewer sees it."""
    player = place.seat.player
    return ReplaySeat(
        position=place.position,
        handle=player.handle,
        avatar=player.picture.value,
        is_bot=player.is_bot,
        is_me=viewer is not None and player.pk == viewer.pk,
    )


def _step(game: Game, family: rummy.AnyFamily, state: rummy.AnyDeal) -> ReplayStep:
    return ReplayStep(
        stock=len(state.stock),
        reshuffles=family.status(state).reshuffles,
        open_pile=[str(card) for card in state.pile],
        hands=[_hand(game, state, position) for position in range(1, state.players + 1)],
    )


def _hand(game: Game, state: rummy.AnyDeal, position: int) -> ReplayHand:
    seat = state.seats[position - 1]
    is_on_turn = state.to_act == position
    return ReplayHand(
        standing="won" if position == state.winner else seat.standing,
        to_act=is_on_turn,
        hand=_by_suit(seat.hand),
        laid=game.laid(state, position),
        drawn=str(state.drawn) if is_on_turn and state.drawn is not None else None,
        misses=seat.misses,
        extra_ms_left=seat.extra_ms,
    )


def _by_suit(hand: Sequence[rummy.Card]) -> str:
    """Return the cards suit by suit, jokers last.

    >>> _by_suit(rummy.parse_cards("KD PJ 5H AS 6H"))
    'AS | 5H 6H | KD | PJ'
    """
    suits: dict[int, list[rummy.Card]] = {}
    for card in sorted(hand):
        suits.setdefault(-1 if card.suit is None else int(card.suit), []).append(card)
    return " | ".join(rummy.format_cards(suits[suit]) for suit in sorted(suits, reverse=True))


def _results(
    game: Game, deal: Deal, state: rummy.AnyDeal, places: Sequence[DealSeat]
) -> list[ReplayResult] | None:
    outcome = family_of(deal.table.profile).outcome(state)
    if outcome is None:  # A deal that was voided while it was played.
        return None
    # A void deal has no scores.
    by_seat = {score.seat_id: score for score in deal.scores.all()}
    scores = [by_seat.get(place.seat_id) for place in places]
    results: Sequence[rummy.AnyResult] = outcome.results
    judged = map(game.judged, results)
    return [
        ReplayResult(
            position=place.position,
            handle=place.seat.player.handle,
            points=result.points,
            how=result.how,
            total=score.total_after if score else None,
            chips=score.chips_after if score else None,
            won=Amount.maybe(score.won_minor, deal.table.currency) if score else None,
            arrangement=what.arrangement,
            submitted=list(what.submitted),
            reasons=list(what.reasons),
        )
        for place, result, what, score in zip(places, results, judged, scores, strict=True)
    ]


def _client_seeds(deal: Deal, places: Sequence[DealSeat]) -> list[SeedLine]:
    handles = {place.seat_id: place.seat.player.handle for place in places}
    return [SeedLine(handles[seat], text) for seat, text in deal.texts_of(handles).items()]


def _toss(history: rummy.History, places: Sequence[DealSeat]) -> list[TossLine]:
    drew = sorted(places, key=lambda place: place.seat_id)
    return [
        TossLine(place.seat.player.handle, str(card))
        for place, card in zip(drew, history.tossed, strict=False)
    ]


def _milliseconds(span: timedelta) -> int:
    return max(0, span // timedelta(milliseconds=1))
