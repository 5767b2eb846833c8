"""The state of a deal, folded from its rules, its secret and its moves (ADR 3).

Folds are cached per process. Moves are append-only and their keys are never reused, so a cached
fold stays valid; it is stored only when the rows it was made from are committed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Final

from django.db import transaction

import rummy
from tables.history.fairness import seeds
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

    family = family_of(deal.table.profile)
    state = near.state if near else _dealt(deal)
    since = near.ply if near else 0
    if ply > since:
        later = Move.objects.filter(deal=deal, ply__gt=since, ply__lte=ply).order_by("ply")
        for text in later.values_list("text", flat=True):
            state = family.apply(state, rummy.parse_move(text))
    fold = Fold(deal.pk, ply, move_pk, state)
    remember(fold)
    return fold


def fold_of_latest(deal: Deal, latest: Sequence[tuple[int, int, str]]) -> Fold:
    """Return the deal after its latest moves (key, ply, text; oldest first), if one is cached.

    A process that made or received one of these moves has its fold in the cache and needs no query.
    """
    move_pk, ply = latest[-1][:2] if latest else (0, 0)
    near = memo.nearest(deal.pk, ply)
    known = {pk: at for at, (pk, _, _) in enumerate(latest, start=1)}
    if near is None or (near.move_pk not in known and (near.ply or len(latest) != ply)):
        return fold_of(deal, version=deal.table.version)
    family, state = family_of(deal.table.profile), near.state
    since = known.get(near.move_pk, 0)
    for _, _, text in latest[since:]:
        state = family.apply(state, rummy.parse_move(text))
    fold = Fold(deal.pk, ply, move_pk, state)
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
    if deal.toss:  # The toss uses the stream first, then the shuffle (RB 12.1).
        _, stream = rummy.toss(stream, players)
    profile = deal.table.profile
    state = family_of(profile).start(rules_of(profile), players=players, stream=stream)
    return Fold(deal.pk, 0, 0, state)


def _dealt(deal: Deal) -> rummy.AnyDeal:
    seats = list(deal.deal_seats.values_list("seat_id", flat=True))
    # In the order in which they sat down (RB 12.1).
    given = deal.client_seeds.filter(seat__in=seats).order_by("seat_id")
    stream = rummy.Stream(seeds.unseal(deal.secret), list(given.values_list("text", flat=True)))
    return begin_fold(deal, stream, players=len(seats)).state
