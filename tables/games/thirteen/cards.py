"""The cards of the thirteen-card family: pool, points and deals (RB 1-5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import lru_cache
from itertools import groupby

import rummy
from rummy import Rules
from rummy.thirteen import Deal, Result, SeatView, View
from tables.games.cards import (
    Band,
    BestHand,
    CardsOnTable,
    Figures,
    GroupRules,
    Judged,
    JudgedGroup,
    Lesson,
    MeldRules,
    Showing,
)
from tables.games.thirteen import lesson, rule_text


def thirteen_rules(rules: rummy.AnyRules) -> Rules:
    """Return the rules, narrowed to this family."""
    assert isinstance(rules, Rules), f"{rules.name} is of another family"
    return rules


class ThirteenCards:
    """The thirteen-card family's implementation of `Cards`."""

    def figures(self, rules: rummy.AnyRules) -> Figures:
        return _figures(thirteen_rules(rules))

    def group_rules(self, rules: rummy.AnyRules) -> GroupRules | None:
        own = thirteen_rules(rules)
        return GroupRules(**{field.name: getattr(own, field.name) for field in fields(GroupRules)})

    def meld_rules(self, rules: rummy.AnyRules) -> MeldRules | None:
        return None

    def on_table(self, view: rummy.AnyView) -> CardsOnTable:
        view, showing = _own(view), None
        if view.shown is not None:
            groups = [rummy.format_cards(group) for group in view.shown.groups]
            showing = Showing(view.shown.position, groups, str(view.shown.finish))
        return CardsOnTable(str(view.wild), str(view.wild_rank), showing)

    def drop_points(self, rules: rummy.AnyRules, here: rummy.AnySeatView) -> int:
        """A first drop until the seat has drawn in this deal, then a middle drop."""
        assert isinstance(here, SeatView), "the seat is of a deal of this family"
        rules = thirteen_rules(rules)
        return rules.middle_drop if here.has_drawn else rules.first_drop

    def pays_half(self, rules: rummy.AnyRules, here: rummy.AnySeatView) -> bool:
        assert isinstance(here, SeatView), "the seat is of a deal of this family"
        has_had_turn = here.has_drawn or here.misses > 0
        return thirteen_rules(rules).half_without_turn and not has_had_turn

    def why_wrong(self, here: rummy.AnySeatView) -> Sequence[str]:
        assert isinstance(here, SeatView), "the seat is of a deal of this family"
        return here.reasons if here.standing == "wrong_show" else ()

    def best_hand(self, view: rummy.AnyView) -> BestHand:
        view = _own(view)
        if view.drawn is not None:
            shows = rummy.declarable(view.hand, wild=view.wild_rank, rules=view.rules)
            if shows:
                card, way = shows[0]
                return BestHand(way.to_text(), way.points, str(card))
        best = rummy.best_arrangement(view.hand, wild=view.wild_rank, rules=view.rules)
        return BestHand(best.to_text(), best.points, None)

    def laid(self, deal: rummy.AnyDeal, position: int) -> str:
        assert isinstance(deal, Deal), "the deal is of this family"
        seat = deal.seat(position)
        if seat.groups is None:
            return ""
        loose = list(seat.hand)
        for card in (card for group in seat.groups for card in group):
            loose.remove(card)
        groups = " | ".join(map(rummy.format_cards, seat.groups))
        return f"{groups} / {rummy.format_cards(loose)}" if loose else groups

    def judged(self, result: rummy.AnyResult) -> Judged:
        assert isinstance(result, Result), "the result is of a deal of this family"
        return Judged(
            result.arrangement.to_text() if result.arrangement else "",
            [
                JudgedGroup(
                    rummy.format_cards(verdict.cards),
                    str(verdict.kind) if verdict.kind else None,
                    list(verdict.reasons),
                )
                for verdict in result.submitted
            ],
            result.reasons,
        )

    def cards_text(self, rules: rummy.AnyRules) -> Iterator[str]:
        return rule_text.of_cards(thirteen_rules(rules))

    def sections_of_play(self, rules: rummy.AnyRules) -> Iterator[tuple[str, Iterator[str]]]:
        return rule_text.sections_of_play(thirteen_rules(rules))

    def leaving_a_deal_text(self, rules: rummy.AnyRules) -> Iterator[str]:
        return rule_text.of_leaving(thirteen_rules(rules))

    def time_text(self, rules: rummy.AnyRules) -> Iterator[str]:
        return rule_text.of_time(thirteen_rules(rules))

    def lesson(self, rules: rummy.AnyRules) -> Lesson:
        return lesson.lesson(thirteen_rules(rules))


@lru_cache(maxsize=256)
def _figures(rules: Rules) -> Figures:
    named = {field.name for field in fields(Figures)} & rules.to_dict().keys()
    return Figures(**{name: getattr(rules, name) for name in named}, bands=_bands(rules))


def _bands(rules: Rules) -> tuple[Band, ...]:
    """Return the bands of totals below a pool's limit; none if there is no limit, or no drops."""
    if not rules.drops_allowed:
        return ()
    totals = range(rules.limit or 0)
    found = []
    for drops, group in groupby(totals, key=lambda total: rummy.pool.drops_left(total, rules)):
        band = list(group)
        found.append(Band(band[0], band[-1], drops))
    return tuple(found)


def _own(view: rummy.AnyView) -> View:
    assert isinstance(view, View), "the view is of a deal of this family"
    return view
