"""The state of a deal, folded from its rules, its secret and its moves (ADR 3).

Folds are cached per process. Moves are append-only and their keys are never reused, so a cached
fold stays valid; it is stored only when the rows it was made from are committed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from threading import Lock
from typing import Final

from django.db import transaction

import rummy
from tables.history.fairness import seeds
from tables.history.fairness.models import Reveal
from tables.models.deals import Deal, Move
from tables.state.rules import family_of, rules_of

# More than 2,000 live tables need: one worker's sweep may end a turn at each of them, and a deal
# that is not cached must be folded from its shuffle.
DEALS_KEPT: Final = 4096
FOLDS_KEPT: Final = 4


@dataclass(frozen=True, slots=True)
class Fold:
    """A deal after its `ply`-th move; `move_pk` is that move's key, 0 before any move."""

    deal_pk: int
    ply: int
    move_pk: int
    state: rummy.AnyDeal
    # The hash that binds the moves so far (RB 12.1). Computed, so that it cannot differ from them.
    head: str

    def after(self, move: rummy.Move, state: rummy.AnyDeal, *, pk: int = 0) -> Fold:
        """Return the fold after one more move, with the state that the move leads to."""
        head = rummy.next_head(self.state.stream.server_seed, self.head, move)
        return Fold(self.deal_pk, self.ply + 1, pk, state, head)


class FoldCache:
    """The last few folds of the deals that this process used most recently."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._deals: OrderedDict[int, OrderedDict[int, Fold]] = OrderedDict()

    def put(self, fold: Fold) -> None:
        with self._lock:
            folds = self._deals.setdefault(fold.deal_pk, OrderedDict())
            self._deals.move_to_end(fold.deal_pk)
            folds[fold.move_pk] = fold
            if len(folds) > FOLDS_KEPT:
                folds.popitem(last=False)
            if len(self._deals) > DEALS_KEPT:
                self._deals.popitem(last=False)

    def nearest(self, deal_pk: int, ply: int) -> Fold | None:
        """Return the deal's latest cached fold that is not later than `ply`."""
        with self._lock:
            folds = self._deals.get(deal_pk)
            if folds is None:
                return None
            self._deals.move_to_end(deal_pk)
            usable = [fold for fold in folds.values() if fold.ply <= ply]
        return max(usable, key=lambda fold: fold.ply, default=None)


memo = FoldCache()


def fold_of(deal: Deal, *, version: int | None = None) -> Fold:
    """Return the current state of the deal, or its state at the table's `version`."""
    moves = Move.objects.filter(deal=deal)
    if version is not None:
        moves = moves.filter(version__lte=version)
    last = moves.order_by("-ply").values_list("pk", "ply").first()
    move_pk, ply = last or (0, 0)
    near = memo.nearest(deal.pk, ply)
    if near is not None and near.move_pk == move_pk:
        return near

    fold = near or _dealt(deal)
    if ply > fold.ply:
        later = Move.objects.filter(deal=deal, ply__gt=fold.ply, ply__lte=ply).order_by("ply")
        fold = _folded(deal, fold, later.values_list("pk", "text"))
    remember(fold)
    return fold


def _folded(deal: Deal, fold: Fold, later: Iterable[tuple[int, str]]) -> Fold:
    """Return the fold after later moves (key and text)."""
    apply = family_of(deal.table.profile).apply
    for pk, text in later:
        move = rummy.parse_move(text)
        fold = fold.after(move, apply(fold.state, move), pk=pk)
    return fold


def fold_of_latest(deal: Deal, latest: Sequence[tuple[int, int, str]]) -> Fold:
    """Return the deal after its latest moves (key, ply, text; oldest first), if one is cached.

    A process that made or received one of these moves has its fold in the cache and needs no query.
    """
    ply = latest[-1][1] if latest else 0
    near = memo.nearest(deal.pk, ply)
    known = {pk: at for at, (pk, _, _) in enumerate(latest, start=1)}
    if near is None or (near.move_pk not in known and (near.ply or len(latest) != ply)):
        return fold_of(deal, version=deal.table.version)
    since = known.get(near.move_pk, 0)
    fold = _folded(deal, near, [(pk, text) for pk, _, text in latest[since:]])
    if near.ply != ply:
        remember(fold)
    return fold


def fold_after(move: Move) -> Fold:
    """Return the deal after this committed move; without a query if it is cached."""
    near = memo.nearest(move.deal_id, move.ply)
    if near is not None and near.move_pk == move.pk:
        return near
    return fold_of(move.deal, version=move.version)


def remember(fold: Fold) -> None:
    """Cache the fold once its rows are committed; at once outside a transaction."""
    transaction.on_commit(partial(memo.put, fold))


def begin_fold(deal: Deal, stream: rummy.Stream, *, players: int) -> Fold:
    """Return a deal as it is dealt from the start of its stream of random numbers."""
    head = rummy.first_head(
        stream.server_seed,
        chain=deal.chain,
        players=players,
        toss=deal.toss,
        client_seeds=stream.client_seeds,
    )
    if deal.toss:  # The toss uses the stream first, then the shuffle (RB 12.1).
        _, stream = rummy.toss(stream, players)
    profile = deal.table.profile
    state = family_of(profile).start(rules_of(profile), players=players, stream=stream)
    return Fold(deal.pk, 0, 0, state, head)


def reveal_seed(deal: Deal, now: datetime, *, fold: Fold | None = None) -> None:
    """Publish the seed and the last head of a deal that is settled or void, at its last fold.

    The database refuses an earlier reveal, and any seed but the committed one.
    """
    seed, head = seeds.seed_of(deal), ""
    if deal.started_at:
        fold = fold or fold_of(deal)
        result = family_of(deal.table.profile).result_lines(fold.state)
        head = rummy.last_head(seed, fold.head, result)
    reveal = Reveal(
        table_id=deal.table_id, deal=deal, server_seed=seed.hex(), head=head, revealed_at=now
    )
    Reveal.objects.bulk_create([reveal], ignore_conflicts=True)
    deal.reveal = reveal  # Not read again for the next commitment.


def _dealt(deal: Deal) -> Fold:
    seats = list(deal.deal_seats.values_list("seat_id", flat=True))
    stream = rummy.Stream(seeds.seed_of(deal), tuple(deal.texts_of(seats).values()))
    return begin_fold(deal, stream, players=len(seats))
