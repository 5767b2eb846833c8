"""The cards of straight rummy: melds on the table, laying off, no wild card (RB 9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields

import rummy
from rummy import StraightRules
from rummy.straight import Deal, Result, View
from rummy.straight.melds import best_melds
from tables.games.cards import (
    BestHand,
    CardsOnTable,
    Figures,
    GroupRules,
    Judged,
    Lesson,
    MeldLine,
    MeldRules,
)
from tables.games.straight import lesson, rule_text


def straight_rules(rules: rummy.AnyRules) -> StraightRules:
    """Return the rules, narrowed to this family."""
    assert isinstance(rules, StraightRules), f"{rules.name} is of another family"
    return rules


class StraightCards:
    """Straight rummy's implementation of `Cards`."""

    def figures(self, rules: rummy.AnyRules) -> Figures:
        rules = straight_rules(rules)
        return Figures(target=rules.target, rounds=rules.rounds)

    def group_rules(self, rules: rummy.AnyRules) -> GroupRules | None:
        return None

    def meld_rules(self, rules: rummy.AnyRules) -> MeldRules | None:
        own = straight_rules(rules)
        return MeldRules(**{field.name: getattr(own, field.name) for field in fields(MeldRules)})

    def on_table(self, view: rummy.AnyView) -> CardsOnTable:
        view = _own(view)
        melds = [
            MeldLine(number, meld.owner, [str(card) for card in meld.cards])
            for number, meld in enumerate(view.melds, start=1)
        ]
        return CardsOnTable(melds=melds, taken=str(view.taken) if view.taken else None)

    def drop_points(self, rules: rummy.AnyRules, here: rummy.AnySeatView) -> int:
        raise AssertionError("straight rummy has no drops")

    def pays_half(self, rules: rummy.AnyRules, here: rummy.AnySeatView) -> bool:
        return False

    def why_wrong(self, here: rummy.AnySeatView) -> Sequence[str]:
        return ()

    def best_hand(self, view: rummy.AnyView) -> BestHand:
        """Return the melds in the viewer's hand that leave the fewest points."""
        view = _own(view)
        melds = best_melds(view.hand, view.rules)
        laid = {card for meld in melds for card in meld}
        loose = [card for card in view.hand if card not in laid]
        groups = " | ".join(map(rummy.format_cards, melds))
        text = f"{groups} / {rummy.format_cards(loose)}" if loose else groups
        return BestHand(text.strip(), sum(map(view.rules.points_of, loose)), None)

    def laid(self, deal: rummy.AnyDeal, position: int) -> str:
        """Return the melds a position laid on the table; its hand follows a slash."""
        assert isinstance(deal, Deal), "the deal is of this family"
        melds = [meld.cards for meld in deal.melds if meld.owner == position]
        if not melds:
            return ""
        hand = rummy.format_cards(sorted(deal.seat(position).hand))
        return f"{' | '.join(map(rummy.format_cards, melds))} / {hand}".rstrip("/ ")

    def judged(self, result: rummy.AnyResult) -> Judged:
        """Return the remaining cards that were counted."""
        assert isinstance(result, Result), "the result is of a deal of this family"
        return Judged(f"/ {rummy.format_cards(result.hand)}" if result.hand else "")

    def cards_text(self, rules: rummy.AnyRules) -> Iterator[str]:
        return rule_text.of_cards(straight_rules(rules))

    def sections_of_play(self, rules: rummy.AnyRules) -> Iterator[tuple[str, Iterator[str]]]:
        return rule_text.sections_of_play(straight_rules(rules))

    def leaving_a_deal_text(self, rules: rummy.AnyRules) -> Iterator[str]:
        return rule_text.of_leaving_a_deal()

    def time_text(self, rules: rummy.AnyRules) -> Iterator[str]:
        return rule_text.of_time(straight_rules(rules))

    def lesson(self, rules: rummy.AnyRules) -> Lesson:
        return lesson.lesson(straight_rules(rules))


def _own(view: rummy.AnyView) -> View:
    assert isinstance(view, View), "the view is of a deal of this family"
    return view
