"""Straight rummy once more, plain and slow, from the clauses alone: what the package is held to.

Cards, melds and moves are texts, the table is a handful of lists, every meld is found by trying.
It shares nothing with `rummy.straight` but the names of the rules' fields (RB 9).
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

LINES = {
    "low": "A23456789TJQK",
    "high": "23456789TJQKA",
    "both": "A23456789TJQKA",
    "corner": "A23456789TJQKA23456789TJQK",
}


class Table:
    """One deal; `rules` is a dictionary of the fields of the house rules."""

    def __init__(self, rules: dict[str, Any], hands: list[str], stock: str, pile: str) -> None:
        self.rules = rules
        self.hands = {at: hand.split() for at, hand in enumerate(hands, start=1)}
        self.stock = stock.split()
        self.pile = pile.split()
        self.melds: list[list[str]] = []
        self.gone: list[int] = []
        self.misses = dict.fromkeys(self.hands, 0)
        self.melded_ever: set[int] = set()
        self.laid_before: set[int] = set()
        self.turn = 1
        self.refills = 0
        self.turns = 0
        self.over = False
        self.why = ""
        self.winner = 0
        self.rummy = False
        self._new_turn()

    def _new_turn(self) -> None:
        self.drawn = ""
        self.taken = ""
        self.melds_now = 0
        self.laid_now = False

    # What may be melded.

    def is_meld(self, cards: list[str]) -> bool:
        return self._is_set(cards) or self._is_run(cards)

    @staticmethod
    def _is_set(cards: list[str]) -> bool:
        ranks, suits = {card[0] for card in cards}, {card[1] for card in cards}
        return len(cards) in {3, 4} and len(ranks) == 1 and len(suits) == len(cards)

    def _is_run(self, cards: list[str]) -> bool:
        ranks = {card[0] for card in cards}
        if len(cards) < 3 or len({card[1] for card in cards}) > 1 or len(ranks) < len(cards):
            return False
        line = LINES["corner" if self.rules["round_the_corner"] else self.rules["aces"]]
        size = len(cards)
        return any(set(line[at : at + size]) == ranks for at in range(len(line) - size + 1))

    def value(self, card: str) -> int:
        if card[0] == "A":
            return int(self.rules["ace_points"])
        return 10 if card[0] in "TJQK" else int(card[0])

    def worth(self, at: int) -> int:
        return sum(map(self.value, self.hands[at]))

    # What may be done.

    def legal(self) -> set[str]:
        if self.over:
            return set()
        hand = self.hands[self.turn]
        if not self.drawn:
            found = {"ds"} if self.stock else set()
            if self.pile:
                found.add("do")
            if not self.stock and self.rules["refill"] == "turn_over" and len(self.pile) > 1:
                found.add("turn")
            return found
        found = {f"x {card}" for card in hand if not self._is_barred(card)}
        if self.rules["max_melds_per_turn"] is None or (
            self.melds_now < self.rules["max_melds_per_turn"]
        ):
            for cards in self._possible_melds(hand):
                if self._may_lie(cards, [*self.melds, cards]):
                    found.add("meld " + " ".join(sorted(cards)))
        if self.rules["lay_off_before_meld"] or self.turn in self.melded_ever:
            for number, meld in enumerate(self.melds, start=1):
                for card in hand:
                    after = [*self.melds]
                    after[number - 1] = [*meld, card]
                    if self.is_meld(after[number - 1]) and self._may_lie([card], after):
                        found.add(f"lay {card} {number}")
        return found

    def _is_barred(self, card: str) -> bool:
        return card == self.taken and not self.rules["may_discard_taken"]

    def _possible_melds(self, hand: list[str]) -> list[list[str]]:
        found = []
        for alike in (0, 1):
            for letter in {card[alike] for card in hand}:
                same = [card for card in hand if card[alike] == letter]
                for size in range(3, len(same) + 1):
                    found += [list(way) for way in combinations(same, size)]
        return [way for way in found if self.is_meld(way)]

    def _may_lie(self, cards: list[str], melds_after: list[list[str]]) -> bool:
        """Whether these cards may leave the hand: the turn must be possible to end."""
        left = [card for card in self.hands[self.turn] if card not in cards]
        if not left:
            return not self.rules["must_discard_last"]
        if len(left) > 1 or not self._is_barred(left[0]):
            return True
        if self.rules["must_discard_last"]:
            return False
        return any(self.is_meld([*meld, left[0]]) for meld in melds_after)

    # What it does.

    def play(self, text: str) -> None:
        action, *rest = text.split()
        hand = self.hands[self.turn]
        if action == "ds":
            self.drawn = self.stock.pop(0)
            hand.append(self.drawn)
        elif action == "do":
            self.drawn = self.taken = self.pile.pop()
            hand.append(self.drawn)
        elif action == "turn":
            self.stock, self.pile = self.pile[1:], self.pile[:1]
            self.refills += 1
        elif action == "meld":
            self.melds.append(rest)
            self.melds_now += 1
            self.melded_ever.add(self.turn)
            self._lay(rest)
        elif action == "lay":
            self.melds[int(rest[1]) - 1].append(rest[0])
            self._lay(rest[:1])
        elif action == "x":
            self.misses[self.turn] = 0
            self._throw(rest[0])
        elif action == "miss":
            self._miss()

    def _lay(self, cards: list[str]) -> None:
        self.laid_now = True
        for card in cards:
            self.hands[self.turn].remove(card)
        if not self.hands[self.turn]:
            self._out()

    def _throw(self, card: str) -> None:
        self.hands[self.turn].remove(card)
        self.pile.append(card)
        if self.hands[self.turn]:
            self._end_turn()
        else:
            self._out()

    def _out(self) -> None:
        self.over, self.why, self.winner = True, "out", self.turn
        self.rummy = self.turn not in self.laid_before

    def _miss(self) -> None:
        at = self.turn
        self.misses[at] += 1
        card = self._thrown_by_the_clock() if self.drawn else ""
        if card:
            self.hands[at].remove(card)
            self.pile.append(card)
        if not self.hands[at]:
            self._out()
            return
        if self.misses[at] >= self.rules["misses_allowed"]:
            self.gone.append(at)
        self._end_turn()

    def _thrown_by_the_clock(self) -> str:
        hand = self.hands[self.turn]
        if self.drawn in hand and not self._is_barred(self.drawn):
            return self.drawn
        rows = [card for card in hand if not self._is_barred(card)]
        dear = sorted(
            rows,
            key=lambda card: (-self.value(card), "AKQJT98765432".index(card[0]), card[1]),
        )
        return dear[0] if dear else self.drawn

    def leave(self, at: int) -> None:
        self.gone.append(at)
        if at == self.turn:
            self._end_turn()
        else:
            self._end_if_alone()

    def _still_in(self) -> list[int]:
        return [at for at in self.hands if at not in self.gone]

    def _end_if_alone(self) -> None:
        if len(self._still_in()) == 1:
            self.over, self.why, self.winner = True, "last_standing", self._still_in()[0]

    def _end_turn(self) -> None:
        if self.laid_now:
            self.laid_before.add(self.turn)
        self._new_turn()
        count = len(self.hands)
        self.turn = next(
            at
            for step in range(1, count + 1)
            if (at := (self.turn - 1 + step) % count + 1) not in self.gone
        )
        self.turns += 1
        self._end_if_alone()
        if self.over:
            return
        if self.turns == self.rules["max_turns"]:
            self._undecided("too_long")
        elif not self.stock:
            self._stock_empty()

    def _undecided(self, why: str) -> None:
        self.over, self.why = True, why
        self.winner = min(self._still_in(), key=lambda at: (self.worth(at), at))

    def _stock_empty(self) -> None:
        if self.refills >= self.rules["max_refills"] or len(self.pile) < 2:
            self._undecided("exhausted")

    def needs_refill(self) -> bool:
        """Whether the pile is to be shuffled now; its order is the caller's to bring."""
        return not (self.over or self.stock or self.drawn) and self.rules["refill"] == "shuffle"

    def refill(self, stock: list[str]) -> None:
        assert sorted(stock) == sorted(self.pile[:-1])
        self.stock, self.pile = list(stock), self.pile[-1:]
        self.refills += 1

    # What it comes to.

    def points(self) -> list[int]:
        """Return what every position scores, in order (RB 9.2-9.5)."""
        worths = {at: self.worth(at) for at in self.hands}
        others = {at: worth for at, worth in worths.items() if at != self.winner}
        bonus = self.rules["rummy_bonus"]
        went_rummy = self.why == "out" and self.rummy
        times = 2 if went_rummy and bonus is None else 1
        extra = bonus if went_rummy and bonus is not None else 0
        if self.rules["scoring"] == "penalty":
            if self.why in {"exhausted", "too_long"}:
                return [worths[at] for at in sorted(worths)]
            own = {at: times * worth for at, worth in others.items()}
            return [own.get(at, -extra) for at in sorted(worths)]
        if self.why in {"exhausted", "too_long"}:
            others = {at: max(0, worth - worths[self.winner]) for at, worth in others.items()}
        gained = times * sum(others.values()) + extra
        return [gained if at == self.winner else 0 for at in sorted(worths)]
