"""Compute games and books again from published files; needs only Python.

    python docs/examples/rebuild.py FOLDER [NAME]

FOLDER is what `manage.py publish_books` writes: history files, games, journal and tax rates. The
cards are dealt again from the seeds, the moves played by the rules, hands scored, eliminations,
rejoins, splits, prizes, rake and taxes computed, and all of it compared with the journal, to the
paisa. Each difference is printed with its file and line. With a NAME, which the site shows its
player under "Proof of balances", the rows of that player's games are printed too.

The script shares no code with the platform: it follows docs/rulebook.md.
"""

from __future__ import annotations

import csv
import hashlib
import hmac
import json
import re
import sys
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache
from itertools import combinations, groupby, pairwise
from pathlib import Path
from typing import Any

RANKS, SUITS = "A23456789TJQK", "CDHS"
PACK = [rank + suit for suit in SUITS for rank in RANKS]
PLAYER_KINDS = ("bonus", "deposit", "winnings", "withdrawal_hold", "locked_bonus")
Rules = dict[str, Any]
Line = tuple[int, str]


class Wrong(Exception):
    """A line of a file that contradicts the rules or another line."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line


# --- Cards --------------------------------------------------------------------------------------


def stream(seed: bytes, client_seeds: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of a deal's seeds, as docs/fair-deals.md defines them."""
    texts = [text.encode() for text in client_seeds]
    framed = b"".join(len(text).to_bytes(4, "big") + text for text in texts)
    for block in range(2**64):
        message = b"rummy stream 1\n" + block.to_bytes(8, "big") + framed
        digest = hmac.digest(seed, message, "sha256")
        yield from (int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4))


def shuffled(words: Iterator[int], cards: Sequence[str]) -> list[str]:
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        fair = 2**32 - 2**32 % (last + 1)
        number = next(word for word in words if word < fair) % (last + 1)
        order[last], order[number] = order[number], order[last]
    return order


def price(card: str, wild: str) -> int:
    """Return a card's points in the thirteen-card family (RB 1.3)."""
    if card == "PJ" or card[0] == wild:
        return 0
    return 10 if card[0] in "ATJQK" else int(card[0])


@lru_cache(maxsize=200_000)
def group_kinds(group: tuple[str, ...], wild: str, limits: tuple[Any, ...]) -> frozenset[str]:
    """Return what a group can be: `pure`, `sequence`, `set` (RB 2)."""
    jokers_in_sequence, jokers_in_set, largest_set, least_naturals, triples = limits
    plain = [card for card in group if card != "PJ" and card[0] != wild]
    wilds = [card for card in group if card[0] == wild]
    size, kinds = len(group), set()
    if size < 3:
        return frozenset()
    if triples and group[0] != "PJ" and len(set(group)) == 1 and size == 3:
        return frozenset({"pure"})
    suits = {card[1] for card in plain or wilds}
    ranks = [card[0] for card in plain]
    if size <= 13 and len(set(ranks)) == len(ranks) and len({card[1] for card in plain}) <= 1:
        for suit in suits:
            for low in range(15 - size):
                window = [RANKS[place % 13] for place in range(low, low + size)]
                if not set(ranks) <= set(window):
                    continue
                itself = wild in window and any(card[1] == suit for card in wilds)
                naturals = len(plain) + itself
                jokers = size - naturals
                if not jokers:
                    kinds.add("pure")
                elif naturals >= least_naturals and jokers <= jokers_in_sequence:
                    kinds.add("sequence")
    if len(set(ranks)) <= 1 and len({card[1] for card in plain}) == len(plain):
        naturals = len(plain) or len({card[1] for card in wilds})
        jokers = size - naturals
        allowed = not jokers or (naturals >= least_naturals and jokers <= jokers_in_set)
        if size <= largest_set and allowed and naturals:
            kinds.add("set")
    return frozenset(kinds)


def limits_of(rules: Rules) -> tuple[Any, ...]:
    names = ("max_jokers_per_sequence", "max_jokers_per_set", "max_set_size")
    most = [99 if rules[name] is None else rules[name] for name in names]
    return (*most, rules["min_naturals"], rules["identical_triples"])


def gate_is_met(kinds: Sequence[tuple[str, int]], rules: Rules) -> bool:
    """Return whether sequences (kind, length) allow a show, and make groups count (RB 3.1, 3.2)."""
    pure = sum(kind == "pure" for kind, _ in kinds)
    long = [kind for kind, length in kinds if length >= 4]
    life = rules["life_of_four"]
    if life == "other":
        has_life = "sequence" in long or (bool(long) and pure > 1)
    else:
        has_life = life in ("none", None) or bool(long)
    return pure > 0 and len(kinds) > 1 and has_life


def is_declared(
    groups: Sequence[tuple[str, ...]], held: Counter[str], wild: str, rules: Rules
) -> bool:
    """Return whether a show is valid with the groups as sent (RB 3)."""
    laid = Counter(card for group in groups for card in group)
    loose, lives = held - laid, []
    if laid - held or held.total() != 13:
        return False
    if any(not (rules["loose_jokers"] and (card == "PJ" or card[0] == wild)) for card in loose):
        return False
    for group in groups:
        kinds = group_kinds(group, wild, limits_of(rules))
        if not kinds:
            if rules["loose_jokers"] and all(card == "PJ" or card[0] == wild for card in group):
                continue
            return False
        if kinds & {"pure", "sequence"}:
            lives.append(("pure" if "pure" in kinds else "sequence", len(group)))
    return gate_is_met(lives, rules)


class Hand:
    """The search for the arrangement with the least points (RB 4.1).

    Jokers cost nothing, so only their number matters, and of which suits cards of the wild rank may
    stand for themselves.
    """

    def __init__(self, hand: Sequence[str], wild: str, rules: Rules) -> None:
        self.wild, self.rules, self.limits = wild, rules, limits_of(rules)
        self.plain = tuple(sorted(card for card in hand if price(card, wild)))
        self.jokers = len(hand) - len(self.plain)
        self.itself = tuple(hand.count(wild + suit) for suit in SUITS)
        self.whole = sum(price(card, wild) for card in hand)
        self.known: dict[Any, int] = {}
        self.pure_only = False

    def points(self) -> int:
        rules = self.rules
        least = self.least(self.plain, self.jokers, self.itself, ())
        if rules["unmet"] == "pure_exempt":
            self.pure_only, self.known = True, {}
            least = min(least, self.least(self.plain, self.jokers, self.itself, ()))
        if least < NEVER:
            return min(least, rules["cap"])
        return rules["cap"] if rules["unmet_points"] == "flat" else min(self.whole, rules["cap"])

    def least(
        self, plain: tuple[str, ...], jokers: int, itself: tuple[int, ...], lives: tuple[Any, ...]
    ) -> int:
        """Return the least points of these cards that complete the sequences laid so far."""
        if not plain:
            return 0 if self.pure_only or self.completes(jokers, itself, lives) else NEVER
        state = plain, jokers, itself, lives
        if state not in self.known:
            card, rest = plain[0], plain[1:]
            best = price(card, self.wild) + self.least(rest, jokers, itself, lives)
            for kind, used, size, suit in self.groups(card, rest, jokers, itself):
                left = list(plain)
                for one in used:
                    left.remove(one)
                taken = list(itself)
                if suit is not None:
                    taken[suit] -= 1
                live = lives if kind == "set" else with_life(lives, kind, size)
                joined = self.least(tuple(left), jokers - size + len(used), tuple(taken), live)
                best = min(best, joined)
            self.known[state] = best
        return self.known[state]

    def groups(
        self, card: str, rest: tuple[str, ...], jokers: int, itself: tuple[int, ...]
    ) -> Iterator[tuple[str, tuple[str, ...], int, int | None]]:
        """Yield groups with this card: kind, cards, size, suit of a wild card as itself."""
        in_sequence, in_set, largest, naturals, triples = self.limits
        if triples and rest.count(card) > 1:
            yield "pure", (card,) * 3, 3, None
        others = sorted({one for one in rest if one[0] == card[0] and one[1] != card[1]})
        for number in range(len(others) + 1):
            size = max(3, number + 1)
            needed = size - number - 1
            fits = not needed or (number + 1 >= naturals and needed <= in_set)
            if self.pure_only or not fits or needed > jokers or size > largest:
                continue
            for chosen in combinations(others, number):
                yield "set", (card, *chosen), size, None
        suit = SUITS.index(card[1])
        same = sorted({one for one in rest if one[1] == card[1] and one[0] != card[0]})
        for number in range(len(same) + 1):
            for chosen in combinations(same, number):
                used = (card, *chosen)
                for size, has_itself in self.windows(used, itself[suit] > 0):
                    needed = size - len(used)
                    as_jokers = needed - has_itself
                    if needed > jokers or as_jokers > in_sequence:
                        continue
                    if as_jokers and (self.pure_only or len(used) + has_itself < naturals):
                        continue
                    kind = "sequence" if as_jokers else "pure"
                    yield kind, used, size, suit if has_itself else None

    def windows(self, used: tuple[str, ...], may_itself: bool) -> list[tuple[int, int]]:
        """Return sizes of sequences over these cards, and whether a wild card is itself there."""
        found = set()
        spots = [{RANKS.index(card[0])} | ({13} if card[0] == "A" else set()) for card in used]
        for size in range(max(3, len(used)), 14):
            for low in range(15 - size):
                window = set(range(low, low + size))
                if not all(spot & window for spot in spots):
                    continue
                found.add((size, 0))
                own = {RANKS.index(self.wild)} | ({13} if self.wild == "A" else set())
                if may_itself and own & window:
                    found.add((size, 1))
            if size > 3 and found:
                break
        return sorted(found)

    def completes(self, jokers: int, itself: tuple[int, ...], lives: tuple[Any, ...]) -> bool:
        """Return whether the gate is met, with groups of the jokers left where they help."""
        if gate_is_met(lives, self.rules):
            return True
        in_sequence, _, _, naturals, triples = self.limits
        for suit, number in enumerate(itself):
            taken = [*itself]
            if triples and number > 2 and jokers > 2:
                taken[suit] -= 3
                if self.completes(jokers - 3, tuple(taken), with_life(lives, "pure", 3)):
                    return True
            for size in (3, 4):
                if number and jokers >= size and in_sequence >= size - 1 and naturals < 2:
                    taken = [*itself]
                    taken[suit] -= 1
                    more = with_life(lives, "sequence", size)
                    if self.completes(jokers - size, tuple(taken), more):
                        return True
        return False


NEVER = 10_000


def with_life(lives: tuple[Any, ...], kind: str, size: int) -> tuple[Any, ...]:
    """Return the sequences laid so far and another one; no more than two of each sort matter."""
    found = Counter([*lives, (kind, min(size, 4))])
    return tuple(sorted(life for life in found for _ in range(min(found[life], 2))))


# --- Deals --------------------------------------------------------------------------------------

MOVE = re.compile(r"p([1-9]) +([a-z]+)(?: +([^+]*?))?(?: +\+(\d{1,9}))?", re.ASCII)


@dataclass
class Seat:
    """A position of a deal."""

    hand: list[str]
    how: str = ""
    points: int = 0
    has_drawn: bool = False
    misses: int = 0
    has_laid: bool = False
    has_melded: bool = False


class Deal:
    """A deal: piles, seats and turn; the two families derive from it."""

    def __init__(self, rules: Rules, cards: dict[str, list[str]], words: Iterator[int]) -> None:
        self.rules, self.words = rules, words
        self.seats = [
            Seat(cards[f"p{no + 1}"][:]) for no in range(sum(key[1:].isdecimal() for key in cards))
        ]
        self.pile, self.stock = cards["up"][:], cards["stock"][:]
        self.wild = cards.get("wild", ["-"])[0].replace("PJ", "A")[0]
        self.to_act, self.drawn, self.source, self.line = 0, "", "", 0
        self.ending, self.winner, self.refills, self.turns = "", -1, 0, 0
        self.first_up = True
        self.waiting: set[int] = set()
        self.melds: list[list[str]] = []
        self.melds_this_turn, self.laid_this_turn, self.is_rummy = 0, False, False

    @property
    def active(self) -> list[int]:
        return [at for at, seat in enumerate(self.seats) if not seat.how]

    def need(self, holds: object, text: str) -> None:
        if not holds:
            raise Wrong(self.line, text)

    def play(self, line: int, text: str) -> None:
        """Make a move, or raise `Wrong`."""
        self.line = line
        found = MOVE.fullmatch(text)
        if found is None:
            raise Wrong(line, f"{text!r} is not a move")
        at, action, rest = int(found[1]) - 1, found[2], (found[3] or "").strip()
        self.need(at < len(self.seats) and not self.ending, f"{text!r}: not in this deal")
        if self.waiting:
            self.need(
                at in self.waiting and action in ("meld", "miss", "leave"), "no answer is due"
            )
            if action == "meld":
                laid = Counter(rest.replace("|", " ").replace("/", " ").split())
                self.need(not laid - Counter(self.seats[at].hand), "a card is not in the hand")
            self.waiting.discard(at)
            if not self.waiting:
                self.ending = "show"
            return
        self.need(not self.seats[at].how, f"p{at + 1} is out of this deal")
        if action == "leave":
            self.leave(at)
            return
        self.need(at == self.to_act, f"it is the turn of p{self.to_act + 1}")
        known = getattr(self, f"move_{action}", None)
        if known is None:
            raise Wrong(line, f"{action!r} is not a move here")
        known(self.seats[at], rest)

    def take(self, card: str, source: str) -> None:
        self.need(not self.drawn, "a card is drawn already")
        seat = self.seats[self.to_act]
        seat.hand.append(card)
        seat.has_drawn, self.drawn, self.source = True, card, source

    def move_ds(self, seat: Seat, rest: str) -> None:
        self.need(not rest and self.stock, "the stock is empty")
        self.take(self.stock[0], "stock")
        del self.stock[0]

    def give(self, seat: Seat, card: str) -> None:
        self.need(card in seat.hand, f"{card} is not in the hand")
        # The card drawn last goes before an older equal one.
        del seat.hand[len(seat.hand) - 1 - seat.hand[::-1].index(card)]

    def next_turn(self) -> None:
        seats = len(self.seats)
        following = ((self.to_act + step) % seats for step in range(1, seats + 1))
        self.to_act = next((at for at in following if not self.seats[at].how), self.to_act)
        self.drawn, self.source = "", ""

    def end_if_last(self) -> None:
        if len(self.active) == 1:
            self.ending, self.winner = "last_standing", self.active[0]

    def move_do(self, seat: Seat, rest: str) -> None:
        self.need(not rest and self.pile, "the open pile is empty")
        self.take(self.pile[-1], "open")
        del self.pile[-1]

    def move_miss(self, seat: Seat, rest: str) -> None:
        raise NotImplementedError

    def leave(self, at: int) -> None:
        raise NotImplementedError

    def results(self) -> list[Line]:
        raise NotImplementedError


class Thirteen(Deal):
    """A deal of the thirteen-card family (RB 1-5)."""

    def move_do(self, seat: Seat, rest: str) -> None:
        super().move_do(seat, rest)
        may = self.rules["open_joker"]
        allowed = may == "always" or (may == "first_only" and self.first_up)
        self.need(allowed or price(self.drawn, self.wild), "a joker may not be taken")
        self.first_up = False

    def move_x(self, seat: Seat, card: str) -> None:
        self.need(self.drawn, "draw a card first")
        self.give(seat, card)
        seat.misses = 0
        self.end_turn(card)

    def move_drop(self, seat: Seat, rest: str) -> None:
        self.need(not self.drawn and not rest and self.rules["drops_allowed"], "no drop now")
        self.out_as_drop(seat)
        self.end_turn()

    def move_show(self, seat: Seat, rest: str) -> None:
        self.need(self.drawn, "draw a card first")
        laid, letter, finish = rest.rpartition("x")
        self.need(letter, "a show names its finish card")
        self.give(seat, finish.strip())
        shown, _, loose = laid.partition("/")
        groups = [tuple(group.split()) for group in shown.split("|") if group.split()]
        held = Counter(seat.hand)
        self.need(
            not Counter([*shown.replace("|", " ").split(), *loose.split()]) - held,
            "a card is not in the hand",
        )
        if is_declared(groups, held, self.wild, self.rules):
            self.winner = self.to_act
            self.waiting = set(self.active) - {self.to_act}
            self.ending = "" if self.waiting else "show"
            seat.misses = 0
            return
        seat.hand.append(finish.strip())
        seat.how, seat.points = "wrong_show", self.rules["cap"]
        self.end_turn()

    def move_miss(self, seat: Seat, rest: str) -> None:
        rules, seat.misses, thrown = self.rules, seat.misses + 1, self.drawn
        if thrown:
            self.give(seat, thrown)
        allowed = rules["misses_allowed"]
        if len(self.seats) == 2 and rules["misses_allowed_for_two"] is not None:
            allowed = rules["misses_allowed_for_two"]
        if seat.misses >= allowed:
            seat.how, seat.points = "middle_drop", self.absent_price()
            if rules["absent_pays_lower"]:
                seat.points = self.loss(seat, absent=True, had_turn=True)
        self.end_turn(thrown)

    def absent_price(self) -> int:
        return int(self.rules["middle_drop" if self.rules["drops_allowed"] else "cap"])

    def leave(self, at: int) -> None:
        self.out_as_drop(self.seats[at])
        if at == self.to_act:
            self.end_turn()
        else:
            self.end_if_last()

    def out_as_drop(self, seat: Seat) -> None:
        seat.how = "middle_drop" if seat.has_drawn else "first_drop"
        seat.points = self.rules[seat.how if self.rules["drops_allowed"] else "cap"]

    def end_turn(self, thrown: str = "") -> None:
        if thrown:
            self.pile.append(thrown)
            self.first_up = False
        here = self.seats[self.to_act]
        self.next_turn()
        if here.how:
            self.end_if_last()
        if self.ending or self.stock:
            return
        if self.refills >= self.rules["max_reshuffles"] or len(self.pile) < 2:
            exact = [(self.exact(self.seats[at]), at) for at in self.active]
            self.ending, self.winner = "exhausted", min(exact)[1]
            return
        self.stock, self.pile = shuffled(self.words, self.pile[:-1]), self.pile[-1:]
        self.refills, self.first_up = self.refills + 1, False

    def exact(self, seat: Seat) -> int:
        return Hand(seat.hand, self.wild, self.rules).points()

    def loss(self, seat: Seat, *, absent: bool, had_turn: bool) -> int:
        points = self.exact(seat)
        if absent and self.rules["absent_pays_lower"]:
            points = min(points, self.absent_price())
        if self.rules["half_without_turn"] and not had_turn:
            points //= 2
        return max(points, int(self.rules["least_loss"]))

    def results(self) -> list[Line]:
        found = []
        for at, seat in enumerate(self.seats):
            if seat.how:
                found.append((seat.points, seat.how))
            elif at == self.winner:
                found.append((0, "won"))
            else:
                had_turn = seat.has_drawn or seat.misses > 0 or self.ending != "show"
                lost = self.loss(seat, absent=seat.misses > 0, had_turn=had_turn)
                found.append((lost, "lost"))
        return found


class Straight(Deal):
    """A deal of straight rummy (RB 9)."""

    def is_meld(self, cards: Sequence[str]) -> bool:
        if len(cards) < 3 or len(set(cards)) < len(cards):
            return False
        if len({card[0] for card in cards}) == 1:
            return True
        aces, corner = self.rules["aces"], self.rules["round_the_corner"]
        line = {"low": RANKS, "high": RANKS[1:] + "A", "both": RANKS + "A"}[aces]
        line = RANKS + RANKS if corner else line
        runs = (line[low : low + len(cards)] for low in range(len(line) - len(cards) + 1))
        ranks = {card[0] for card in cards}
        return len({card[1] for card in cards}) == 1 and any(set(run) == ranks for run in runs)

    def worth(self, card: str) -> int:
        if card[0] == "A":
            return int(self.rules["ace_points"])
        return 10 if card[0] in "TJQK" else int(card[0])

    def hand_worth(self, seat: Seat) -> int:
        return sum(map(self.worth, seat.hand))

    def is_barred(self, card: str) -> bool:
        taken = self.drawn if self.source == "open" else ""
        return card == taken and not self.rules["may_discard_taken"]

    def move_turn(self, seat: Seat, rest: str) -> None:
        may = self.rules["refill"] == "turn_over" and not self.stock and len(self.pile) > 1
        self.need(may and not self.drawn and not rest, "the pile may not be turned over")
        self.stock, self.pile, self.refills = self.pile[1:], self.pile[:1], self.refills + 1

    def lay(self, seat: Seat, cards: Sequence[str]) -> None:
        self.need(self.drawn, "draw a card first")
        for card in cards:
            self.give(seat, card)
        self.need(seat.hand or not self.rules["must_discard_last"], "the last card is discarded")
        self.laid_this_turn = True

    def move_meld(self, seat: Seat, rest: str) -> None:
        cards, most = rest.split(), self.rules["max_melds_per_turn"]
        self.need(self.is_meld(cards), "these cards are no meld")
        self.need(most is None or self.melds_this_turn < most, "too many melds in a turn")
        self.melds_this_turn += 1
        self.lay(seat, cards)
        self.melds.append(cards)
        seat.has_melded = True
        self.out_if_empty(seat)

    def move_lay(self, seat: Seat, rest: str) -> None:
        card, _, number = rest.partition(" ")
        self.need(number.strip().isdecimal() and 0 < int(number) <= len(self.melds), "no such meld")
        self.need(seat.has_melded or self.rules["lay_off_before_meld"], "meld first")
        grown = [*self.melds[int(number) - 1], card]
        self.need(self.is_meld(grown), f"{card} does not fit")
        self.lay(seat, [card])
        self.melds[int(number) - 1] = grown
        self.out_if_empty(seat)

    def out_if_empty(self, seat: Seat) -> None:
        if not seat.hand:
            self.ending, self.winner, self.is_rummy = "out", self.to_act, not seat.has_laid

    def move_x(self, seat: Seat, card: str) -> None:
        self.need(self.drawn and not self.is_barred(card), "this card may not be discarded")
        self.give(seat, card)
        self.pile.append(card)
        seat.misses = 0
        self.end_turn(seat)

    def move_miss(self, seat: Seat, rest: str) -> None:
        seat.misses += 1
        if self.drawn:
            card = self.drawn
            if card not in seat.hand or self.is_barred(card):
                order = "AKQJT98765432"
                others = [one for one in seat.hand if one != card] or [card]
                keys = {one: (-self.worth(one), order.index(one[0]), one[1]) for one in others}
                card = min(others, key=keys.__getitem__)
            self.give(seat, card)
            self.pile.append(card)
        if seat.hand and seat.misses >= self.rules["misses_allowed"]:
            seat.how = "left"
        self.end_turn(seat)

    def leave(self, at: int) -> None:
        self.seats[at].how = "left"
        if at == self.to_act:
            self.end_turn(self.seats[at])
        else:
            self.end_if_last()

    def end_turn(self, seat: Seat) -> None:
        if not seat.hand:
            self.out_if_empty(seat)
            return
        seat.has_laid = seat.has_laid or self.laid_this_turn
        self.melds_this_turn, self.laid_this_turn, self.turns = 0, False, self.turns + 1
        self.next_turn()
        self.end_if_last()
        if self.ending:
            return
        if self.turns >= self.rules["max_turns"]:
            self.end_undecided("too_long")
        elif not self.stock:
            if self.refills >= self.rules["max_refills"] or len(self.pile) < 2:
                self.end_undecided("exhausted")
            elif self.rules["refill"] == "shuffle":
                self.stock, self.pile = shuffled(self.words, self.pile[:-1]), self.pile[-1:]
                self.refills += 1

    def end_undecided(self, ending: str) -> None:
        lowest = min((self.hand_worth(self.seats[at]), at) for at in self.active)
        self.ending, self.winner = ending, lowest[1]

    def results(self) -> list[Line]:
        worth = [self.hand_worth(seat) for seat in self.seats]
        undecided, bonus = self.ending in ("exhausted", "too_long"), self.rules["rummy_bonus"]
        if self.rules["scoring"] == "penalty":
            times = 2 if self.is_rummy and bonus is None else 1
            points = worth if undecided else [times * each for each in worth]
            if not undecided:
                points[self.winner] = -bonus if self.is_rummy and bonus else 0
        else:
            own = worth[self.winner] if undecided else 0
            others = [each for at, each in enumerate(worth) if at != self.winner]
            gained = sum(max(0, each - own) for each in others)
            if self.is_rummy:
                gained = 2 * gained if bonus is None else gained + bonus
            points = [gained if at == self.winner else 0 for at in range(len(worth))]
        hows = [seat.how or "lost" for seat in self.seats]
        hows[self.winner] = "won"
        return list(zip(points, hows, strict=True))


@dataclass
class Played:
    """A history file: its deal's rules, players by position, and each player's points."""

    name: str
    game: str
    no: int
    rules: Rules
    players: list[str]
    cards: Deal
    sections: dict[str, list[Line]]
    points: list[Line] = field(default_factory=list)

    @property
    def moves(self) -> list[Line]:
        return self.sections["moves"]

    @property
    def is_over(self) -> bool:
        return bool(self.cards.ending)

    def scores(self) -> dict[str, tuple[int, str]]:
        return dict(zip(self.players, self.points, strict=True))


def read_deal(name: str, text: str, *, is_named: bool = True) -> Played:
    """Read a history file, deal its cards from the seeds, play its moves and check its result.

    Files that the site gives to players do not name them by pseudonyms in line 3.
    """
    notes, sections = _sections(text)
    until = "" if is_named else ",.*"
    head = re.fullmatch(rf"# table ([0-9a-f-]{{36}}), deal (\d+){until}", notes.get(2, ""))
    if head is None:
        raise Wrong(2, "the table and the deal are not named")
    rules, _ = _fields(sections["rules"])
    shuffle, at = _fields([one for one in sections["shuffle"] if "client seed:" not in one[1]])
    given = [one for one in sections["shuffle"] if one[1].startswith("client seed:")]
    text = "".join(f"{line}\n" for _, line in sections["rules"])
    if shuffle.get("rules sha256") != hashlib.sha256(text.encode()).hexdigest():
        raise Wrong(at.get("rules sha256", 1), "the rules are not those of their hash")
    try:
        seeds = [json.loads(line.partition(":")[2]) for _, line in given]
        seed, players = bytes.fromhex(str(shuffle["server seed"])), int(shuffle["players"])
        words = stream(seed, seeds)
        toss = str(shuffle["toss"])
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise Wrong(at.get("server seed", 1), f"seeds or players cannot be read: {error}") from None
    named = re.findall(r"p\d ([0-9a-f]{16})(?:, |$)", notes.get(3, ""))
    seats = named if is_named else [f"p{at}" for at in range(1, players + 1)]
    if len(seats) != players or not 2 <= players <= 6 or len(seed) != 32:
        raise Wrong(3, "the players are not those of the deal")
    if toss not in ("none", "None"):
        drawn = shuffled(words, PACK)[:players]
        if toss.split() != drawn:
            raise Wrong(at["toss"], f"the toss should read {' '.join(drawn)}")
    try:
        cards = _dealt(rules, players, words)
    except (KeyError, TypeError):
        raise Wrong(sections["rules"][0][0], "a rule is missing or is not a number") from None
    compare(sections["cards"], [f"{key}: {' '.join(value)}" for key, value in cards.items()])
    kind = Thirteen if rules["family"] == "thirteen" else Straight
    state = kind(rules, cards, words)
    played = Played(name, f"table:{head[1]}", int(head[2]), rules, seats, state, sections)
    _play(played)
    return played


def _sections(text: str) -> tuple[dict[int, str], dict[str, list[Line]]]:
    """Return the notes of a file by line, and the other lines by section with their numbers."""
    notes, sections, lines = dict[int, str](), dict[str, list[Line]](), list[Line]()
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        if line.startswith("#"):
            notes[number] = line
        elif line.startswith("["):
            lines = sections.setdefault(line.strip("[]"), [])
        elif line and number > 1:
            lines.append((number, line))
    if missing := {"rules", "shuffle", "cards", "moves", "result"} - sections.keys():
        raise Wrong(1, f"the section {min(missing)} is missing")
    return notes, sections


def _fields(lines: list[Line]) -> tuple[Rules, dict[str, int]]:
    """Return the values of `name: value` lines, and the lines' numbers."""
    values: Rules = {}
    numbers: dict[str, int] = {}
    for number, line in lines:
        name, colon, text = (part.strip() for part in line.partition(":"))
        if not colon or (name in values and name != "redrawn"):
            raise Wrong(number, f"{line!r} is not 'name: value', or repeats a name")
        known = {"yes": True, "no": False, "none": None}
        is_number = text.isascii() and text.isdecimal() and len(text) < 10
        values[name] = known.get(text, int(text) if is_number else text)
        numbers[name] = number
    return values, numbers


def _dealt(rules: Rules, players: int, words: Iterator[int]) -> dict[str, list[str]]:
    if rules["family"] == "straight":
        size = rules["cards_for_six" if players > 4 else "cards_for_four"]
        size = rules["cards_for_two"] if players == 2 else size
        deck = shuffled(words, PACK)
    else:
        size, third = 13, rules["three_decks_from"]
        decks = 3 if third is not None and players >= third else rules["decks"]
        deck = shuffled(words, [*PACK, *["PJ"] * rules["printed_jokers_per_deck"]] * decks)
    dealt = size * players
    cards = {f"p{at + 1}": deck[at:dealt:players] for at in range(players)}
    cards["up"] = [deck[dealt]]
    if rules["family"] == "thirteen":
        cards["wild"] = [deck[dealt + 1]]
        return cards | {"stock": deck[dealt + 2 :]}
    return cards | {"stock": deck[dealt + 1 :]}


def compare(found: list[Line], wanted: list[str]) -> None:
    for (number, line), right in zip(found, wanted, strict=False):
        if line != right:
            raise Wrong(number, f"{line!r} should read {right!r}")
    if len(found) != len(wanted):
        raise Wrong(found[-1][0] if found else 1, f"{len(wanted)} lines are expected here")


def _play(played: Played) -> None:
    result = played.sections["result"]
    for number, text in played.moves:
        played.cards.play(number, text)
    if not played.is_over:
        if any(re.match(r"p\d|ending", line) for _, line in result):
            raise Wrong(result[-1][0], "the moves do not end this deal")
        return
    played.points = played.cards.results()
    scores = [f"p{at}: {points} {how}" for at, (points, how) in enumerate(played.points, 1)]
    found = [one for one in result if re.match(r"p\d:|ending:", one[1])]
    shown = [(number, " ".join(line.split()[:3])) for number, line in found]
    rummy = " rummy" if played.cards.is_rummy else ""
    compare(shown, [f"ending: {played.cards.ending}{rummy}", *scores])


# --- Games --------------------------------------------------------------------------------------


@dataclass
class Due:
    """What a game must have paid: prizes or refunds by player, and the rake."""

    paid: dict[str, int] = field(default_factory=dict)
    rake: int = 0
    entries: dict[str, int] = field(default_factory=dict)


def equal_shares(total: int, heads: int) -> list[int]:
    each, odd = divmod(total, heads)
    return [each + (place < odd) for place in range(heads)]


def shares(total: int, heads: Sequence[str]) -> dict[str, int]:
    return dict(zip(heads, equal_shares(total, len(heads)), strict=True))


class Game:
    """A row of games.jsonl with its deals, computed again."""

    def __init__(self, row: dict[str, Any], line: int, deals: list[Played]) -> None:
        self.row, self.line, self.deals = row, line, deals
        self.names = [name for name, number, *_ in row["seats"] if number is not None]
        self.left = {
            name: (no, inside) for name, number, no, inside in row["seats"] if no and number
        }
        for deal in deals:  # A move is more exact than the time at which a seat was left.
            for _, text in deal.moves:
                if re.fullmatch(r"p\d +leave.*", text):
                    self.left[deal.players[int(text[1]) - 1]] = deal.no, True
        self.rules = deals[0].rules if deals else {}
        self.scored = [deal for deal in deals if deal.no not in row["void"]]
        self.entry = row["entry_minor"]
        self.rake = self.entry * row["rake_bps"] // 10_000
        self.is_over = row["phase"] in ("finished", "cancelled")
        self.places: list[str] = []

    def need(self, holds: object, text: str) -> None:
        if not holds:
            raise Wrong(self.line, f"{self.row['game']}: {text}")

    def check_deals(self) -> None:
        numbers = [deal.no for deal in self.deals]
        self.need(numbers == [*range(1, self.row["deals"] + 1)], "a history file is missing")
        for deal in self.scored:
            self.need(deal.is_over, f"deal {deal.no} has no end")
            self.need(deal.rules == self.rules, f"deal {deal.no} has other rules")

    def due(self) -> Due:
        """Return the payments that follow from the deals; raise `Wrong` if the game contradicts."""
        self.check_deals()
        if not self.deals:
            return Due()
        return self.pool() if self.rules["game"] == "pool" else self.series()

    def settled(self, heads: dict[str, int], entries: dict[str, int]) -> Due:
        return Due(heads, self.rake * sum(entries.values()), entries)

    def pool(self) -> Due:
        limit = self.rules["limit"]
        totals, entries = dict.fromkeys(self.names, 0), dict.fromkeys(self.names, 1)
        out: dict[str, int] = {}
        before: dict[str, int] = {}
        rejoined = {(no, name) for no, name in self.row["rejoined"]}
        for deal in self.deals:
            here = [name for name in self.names if name not in out]
            self.need(set(deal.players) == set(here), f"deal {deal.no}: other players are still in")
            before = {name: totals[name] for name in here}
            if deal.no in self.row["void"]:
                self.leave(out, deal.no, inside=True)
                self.leave(out, deal.no, inside=False)
                continue
            for name, (points, _) in deal.scores().items():
                totals[name] += points
            just = [name for name in here if totals[name] >= limit]
            self.leave(out, deal.no, inside=True)
            just = [name for name in just if name not in out]
            out |= dict.fromkeys(just, deal.no)
            alive = [totals[name] for name in self.names if name not in out]
            for name in [name for no, name in sorted(rejoined) if no == deal.no]:
                is_offered = name in just and self.may_rejoin(alive, entries[name] - 1)
                self.need(is_offered, f"{name} rejoined after deal {deal.no} without an offer")
                totals[name], entries[name] = max(alive) + 1, entries[name] + 1
                del out[name]
            self.leave(out, deal.no, inside=False)
            if deal is not self.deals[-1]:
                self.need(len(out) < len(self.names) - 1, f"the game ends with deal {deal.no}")
                is_split = self.split(totals, out, entries)[1]
                self.need(not is_split, f"the pot is split after deal {deal.no}")
        alive_names = [name for name in self.names if name not in out]
        lowest = min(before.values())
        heads = alive_names or [name for name in self.names if before.get(name) == lowest]
        rank = {
            name: (name not in heads, -out.get(name, 10**6), totals[name]) for name in self.names
        }
        self.places = sorted(self.names, key=rank.__getitem__)
        if self.row["phase"] == "cancelled":
            return self.cancelled(entries, out)
        pot = (self.entry - self.rake) * sum(entries.values())
        if len(alive_names) <= self.row["stops_at"] or self.row["stake_mode"] == "chips":
            return self.settled(shares(pot, heads), entries)
        agreed, auto = self.split(totals, out, entries)
        is_agreed = auto or (self.rules["split"] and self.deals[-1].no in self.row["split"])
        self.need(is_agreed and agreed, "the game ended with several players, without a split")
        return self.settled(agreed, entries)

    def leave(self, out: dict[str, int], no: int, *, inside: bool) -> None:
        for name, when in self.left.items():
            if when == (no, inside):
                out.setdefault(name, no)

    def may_rejoin(self, alive: list[int], times: int) -> bool:
        rules = self.rules
        ceiling = rules["limit"] - rules["first_drop"] - 2
        if rules["rejoin_at_most"] is not None:
            ceiling = min(ceiling, rules["rejoin_at_most"])
        return bool(
            rules["rejoin"]
            and self.row["starters"] > 2
            and len(alive) > max(1, self.row["stops_at"])
            and max(alive) <= ceiling
            and not (rules["auto_split"] and min(alive) >= self.split_from)
            and (rules["max_rejoins"] is None or times < rules["max_rejoins"])
        )

    @property
    def split_from(self) -> int:
        rules = self.rules
        return int(rules["auto_split_from"] or rules["limit"] - rules["first_drop"])

    def split(
        self, totals: dict[str, int], out: dict[str, int], entries: dict[str, int]
    ) -> tuple[dict[str, int], bool]:
        """Return the shares of a split, none if it is not allowed, and whether it is automatic."""
        rules, started = self.rules, self.row["starters"]
        alive = [name for name in self.names if name not in out]
        fits = len(alive) in (2, 3) if started > 3 else len(alive) == 2 and started == 3
        is_auto = (
            rules["auto_split"]
            and min(totals[name] for name in alive or self.names) >= self.split_from
        )
        if self.row["stake_mode"] != "cash" or not fits or not (rules["split"] or is_auto):
            return {}, False
        net = self.entry - self.rake
        drops = {
            name: max(0, (rules["limit"] - 1 - totals[name]) // rules["first_drop"])
            for name in alive
        }
        least = min(drops.values())
        rest = net * sum(entries.values()) - sum(net * (drop - least) for drop in drops.values())
        if rest < net:
            return {}, False
        first = sorted(alive, key=lambda name: (totals[name], self.names.index(name)))
        parts = shares(rest, first)
        return {name: parts[name] + net * (drops[name] - least) for name in alive}, is_auto

    def cancelled(self, entries: dict[str, int], out: dict[str, int]) -> Due:
        """Return the refunds of a cancelled pool."""
        last = self.deals[-1]
        inside = last.players if last.no in self.row["void"] else []
        heads = [name for name in self.names if name in inside or (not inside and name not in out)]
        lost = sum(entries.values()) - sum(name not in out for name in self.names)
        if inside:
            gone = sum(name in out and self.left.get(name, (0, 0))[0] == last.no for name in inside)
            lost -= gone
        return self.refunded(entries, heads, lost)

    def refunded(self, entries: dict[str, int], heads: Sequence[str], lost: int) -> Due:
        """Return the refunds of a cancelled game, in which some entries are lost (RB 7.7)."""
        if not self.scored:
            return Due({name: self.entry * number for name, number in entries.items()}, 0, entries)
        rake = lost * self.rake
        return Due(shares(sum(entries.values()) * self.entry - rake, heads), rake, entries)

    def series(self) -> Due:
        """Return the payments of deals rummy and of straight rummy (RB 8.2, 9.5)."""
        rules, is_chips = self.rules, self.rules["game"] == "deals"
        sign = 1 if is_chips or rules["scoring"] == "winner" else -1
        more, start = self.row["extra_chips"], rules["chips"] if is_chips else 0
        totals = {name: start + more.get(name, 0) for name in self.names}
        before, played = dict(totals), Counter[str]()
        for deal in self.deals:
            before = dict(totals)
            if deal.no in self.row["void"]:
                continue
            scores = deal.scores()
            gained = sum(points for points, _ in scores.values())
            for name, (points, how) in scores.items():
                played[name] += 1
                if not is_chips:
                    totals[name] += points
                else:
                    totals[name] += gained if how == "won" else -points
        entries = dict.fromkeys(self.names, 1)
        if self.row["phase"] == "cancelled":
            last = self.deals[-1].no
            heads = [name for name in self.names if self.left.get(name, (last, 0))[0] >= last]
            return self.refunded(entries, heads, len(self.names) - len(heads))
        there = [name for name in self.names if name not in self.left]
        if not is_chips:
            most = max((played[name] for name in there), default=0)
            there = [name for name in there if played[name] == most]
        best = max((sign * totals[name] for name in there), default=0)
        heads = [name for name in there if sign * totals[name] == best]
        is_open = len([name for name in self.names if name not in self.left]) > 1
        if is_open and self.row["stake_mode"] == "cash":
            self.need(self.is_decided(totals, len(heads)), "the game ended undecided")
        if not heads:
            last = self.deals[-1].no
            heads = [name for name in self.names if self.left[name][0] >= last]
            best = max(sign * before[name] for name in heads)
            heads = [name for name in heads if sign * before[name] == best]
        keys = {
            name: (name not in heads, name not in there, name in self.left, -sign * totals[name])
            for name in self.names
        }
        self.places = sorted(self.names, key=keys.__getitem__)
        pot = (self.entry - self.rake) * len(self.names)
        return self.settled(shares(pot, heads), entries)

    def is_decided(self, totals: dict[str, int], leaders: int) -> bool:
        rules, number = self.rules, len(self.scored)
        if rules["game"] == "deals":
            extra = number >= rules["deals"] + rules["max_extra_deals"]
            return bool(number >= rules["deals"] and (leaders == 1 or extra))
        if rules["game"] == "target":
            return max(totals.values()) >= rules["target"] and leaders == 1
        return bool(number >= rules["rounds"] and leaders == 1)


# --- The journal --------------------------------------------------------------------------------

KINDS = (
    *("grant", "buy_in", "prize", "refund", "tax", "deposit", "withdrawal", "adjustment", "bonus"),
    *("release", "expiry", "rake", "cash_out", "chargeback", "restitution", "fee", "reversal"),
)
COLUMNS = [
    *("transfer", "kind", "day", "deal", "reverses", "account", "entry"),
    *("currency", "amount_minor", "balance_minor"),
]


@dataclass
class Entry:
    line: int
    account: str
    entry: int
    currency: str
    amount: int
    balance: int

    @property
    def player(self) -> str:
        owner, _, kind = self.account.partition("/")
        return owner if kind.startswith((*PLAYER_KINDS, "ticket", "receivable")) else ""

    @property
    def kind(self) -> str:
        owner, _, kind = self.account.partition("/")
        return kind.split("-")[0] if self.player else owner


@dataclass
class Transfer:
    number: int
    kind: str
    day: date
    deal: str
    reverses: str
    entries: list[Entry] = field(default_factory=list)

    @property
    def line(self) -> int:
        return self.entries[0].line

    def of(self, *kinds: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.kind in kinds]

    @property
    def games(self) -> set[str]:
        return {one.account for one in self.entries if ":" in one.account}


def read_journal(text: str, first: str, last: str) -> tuple[list[Transfer], list[Wrong]]:
    """Return the transfers of a journal, and the lines that cannot be read."""
    lines = text.split("\n")
    wrong = [] if lines[0].split(",") == COLUMNS else [Wrong(1, "these are not the columns")]
    transfers: list[Transfer] = []
    for number, line in enumerate(lines[1:], start=2):
        if not line and number == len(lines):
            continue
        try:
            no, kind, day, deal, reverses, account, entry, currency, amount, balance = line.split(
                ","
            )
            row = Entry(number, account, whole(entry), currency, whole(amount), whole(balance))
            read = whole(no), kind, date.fromisoformat(day), deal, reverses
        except ValueError as error:
            wrong.append(Wrong(number, f"cannot be read: {error}"))
            continue
        if kind not in KINDS or not row.amount or not first <= day <= last:
            wrong.append(Wrong(number, "a kind, an amount or a day is not possible"))
        if not re.fullmatch(
            r"[0-9a-f]{16}/[a-z_]+(-[0-9a-f]{12})?|[a-z]+:[0-9a-z:-]+|[a-z_]+/\d+", account
        ):
            wrong.append(Wrong(number, f"{account!r} is no account"))
        if not transfers or transfers[-1].number != read[0]:
            if read[0] != len(transfers) + 1:
                wrong.append(Wrong(number, f"transfer {read[0]} does not follow"))
            transfers.append(Transfer(*read))
        elif (transfers[-1].kind, transfers[-1].day, transfers[-1].deal) != read[1:4]:
            wrong.append(Wrong(number, "differs from the other entries of its transfer"))
        transfers[-1].entries.append(row)
    return transfers, wrong


def whole(text: str) -> int:
    if not re.fullmatch(r"0|-?[1-9]\d{0,18}", text, re.ASCII):
        raise ValueError(f"{text!r} is not a whole number")
    return int(text)


def check_journal(
    transfers: list[Transfer], opening: dict[tuple[str, str], int]
) -> Iterator[Wrong]:
    """Yield unbalanced transfers, wrong running balances, and reversals of something else."""
    accounts: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for one in transfers:
        sums = Counter[str]()
        for entry in one.entries:
            sums[entry.currency] += entry.amount
            accounts[entry.account, entry.currency].append(entry)
        if any(sums.values()) or len(one.entries) < 2:
            yield Wrong(one.line, f"transfer {one.number} does not sum to 0")
        if (one.kind == "reversal") != bool(one.reverses):
            yield Wrong(one.line, "a reversal names the transfer it reverses, and no other does")
        elif one.reverses and one.reverses != "earlier":
            known = one.reverses.isdecimal() and 0 < int(one.reverses) < one.number
            back = transfers[int(one.reverses) - 1] if known else None
            if back is None or moves_of(back, 1) != moves_of(one, -1):
                yield Wrong(one.line, f"transfer {one.number} is not the reverse of {one.reverses}")
    for (name, currency), entries in accounts.items():
        entries.sort(key=lambda entry: entry.entry)
        balance, number = opening.get((name, currency), 0), entries[0].entry
        if not balance and (name, currency) not in opening and not opening and number != 1:
            yield Wrong(entries[0].line, f"{name} begins with entry {number}")
        for entry in entries:
            balance += entry.amount
            if entry.balance != balance or entry.entry != number:
                yield Wrong(entry.line, f"entry {number} of {name} should leave {balance}")
                balance, number = entry.balance, entry.entry
            if balance < 0 and is_never_negative(name):
                yield Wrong(entry.line, f"{name} is below 0")
            number += 1


def is_never_negative(account: str) -> bool:
    owner, _, kind = account.partition("/")
    return kind.startswith((*PLAYER_KINDS, "ticket")) or ":" in owner


def moves_of(transfer: Transfer, sign: int) -> Counter[tuple[str, int]]:
    return Counter((entry.account, sign * entry.amount) for entry in transfer.entries)


# --- Taxes --------------------------------------------------------------------------------------


def half_up(amount: int, bps: int) -> int:
    return (amount * bps + 5_000) // 10_000


class Taxes:
    """GST on deposits, and tax withheld from withdrawals and at a year's end (RB 11.4, 11.5).

    Keys are a player and a currency. `own` is in deposit and winnings, `staked` in games that are
    not over, by game; `ended` has both at the end of a year that is not settled yet.
    """

    def __init__(
        self, rates: list[dict[str, str]], opening: dict[tuple[str, str], int] | None = None
    ) -> None:
        self.rates = rates
        self.year: dict[tuple[str, str, int], Counter[str]] = defaultdict(Counter)
        self.taxed: dict[int, tuple[tuple[str, str, int], int, int]] = {}
        self.count = Counter[str]()
        self.own = Counter[tuple[str, str]](opening or {})
        self.staked: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        # C of the present year, before withdrawals of earlier years that are returned in it.
        self.opening = Counter(self.own)
        self.ended: dict[tuple[str, str], tuple[int, int, int]] = {}
        self.present = 0

    def in_force(self, tax: str, currency: str, day: date) -> list[dict[str, str]]:
        """Return the rates that may apply on a day: the last one of each kind of taxpayer."""
        found = {}
        for rate in self.rates:
            if (rate["tax"], rate["currency"]) == (tax, currency) and rate["starts_on"] <= f"{day}":
                found[rate["payee"]] = rate
        return list(found.values())

    def deposit(self, transfer: Transfer) -> Iterator[Wrong]:
        credited, charged = transfer.of("deposit", "receivable"), transfer.of("gst_payable")
        base, tax = (sum(one.amount for one in part) for part in (credited, charged))
        if not credited:
            return
        # An order keeps the rate of the day it was made.
        days = [transfer.day - timedelta(days=back) for back in range(8)]
        in_force = [self.in_force("gst", credited[0].currency, day) for day in days]
        due = set() if all(in_force) else {0}
        for rate in (rate for rates in in_force for rate in rates):
            bps = int(rate["bps"])
            if rate["treatment"] == "none":
                due.add(0)
            # From a payment found later, the tax is taken out.
            elif rate["treatment"] == "inclusive" or transfer.of("suspense"):
                paid = base + tax
                due.add(paid - paid * 10_000 // (10_000 + bps))
            else:
                due.add(half_up(base, bps))
        self.count["GST"] += bool(charged)
        if tax not in due:
            text = f"the GST on {base} is {sorted(due)}, not {tax}"
            yield Wrong((charged or credited)[0].line, text)

    def withdrawal(self, transfer: Transfer, player: str) -> Iterator[Wrong]:
        """Check the tax of a requested withdrawal: A - (B + C + E) at the rate in force."""
        own = [one for one in transfer.of("deposit", "winnings") if one.player == player]
        asked = -sum(one.amount for one in own)
        currency = own[0].currency
        key = player, currency, year_of(transfer.day)
        if key[:2] in self.ended:
            yield from self.settlement(key[:2], own[0].line, 0, asked)
        figures = self.year[key]
        rates = self.in_force("tds", currency, transfer.day)
        figures["A"] += asked
        opening = self.opening[key[:2]] + figures["C"]
        net = max(0, figures["A"] - figures["B"] - opening - figures["E"])
        tax = sum(one.amount for one in transfer.of("tds_payable"))
        due = {self.tax(rate, net, figures["E"] + net) for rate in rates} or {0}
        self.count["TDS"] += 1
        if tax not in due:
            line = (transfer.of("tds_payable") or own)[0].line
            yield Wrong(line, f"the tax on net winnings of {net} is {sorted(due)}, not {tax}")
        if rates:
            figures["E"] += net
            self.taxed[transfer.number] = key, asked, net

    def year_end(self, transfer: Transfer) -> Iterator[Wrong]:
        """Check the tax collected for a year that is over."""
        [payable], own = transfer.of("tds_payable"), transfer.of("deposit", "winnings")
        key = own[0].player, own[0].currency
        if key not in self.ended:
            yield Wrong(payable.line, "a year is taxed twice, or before it is over")
            return
        self.count["year-end tax"] += 1
        yield from self.settlement(key, payable.line, payable.amount, payable.amount)

    def settlement(self, key: tuple[str, str], line: int, tax: int, paid: int) -> Iterator[Wrong]:
        """Check the tax of a year's end: A + D - (B + C + E), as far as the money covers it.

        `paid` has left the player's accounts since.
        """
        year, balance, in_games = self.ended.pop(key)
        figures, closing = self.year[(*key, year)], balance + in_games
        taken = figures["B"] + self.opening[key] + figures["C"] + figures["E"]
        net = max(0, figures["A"] + closing - taken)
        available = max(0, min(balance, self.own[key] + paid))
        carried = {}
        for rate in self.in_force("tds", key[1], date(year + 1, 3, 31)):
            taxes = range(net + 1)
            winnings = figures["E"] + net
            part = bisect_right(taxes, available, key=lambda some: self.tax(rate, some, winnings))
            due = self.tax(rate, part - 1, winnings)
            carried[due] = closing - due - (net - part + 1)
        self.opening[key] = carried.get(tax, closing - tax)
        if tax not in (carried or {0}):
            text = f"the tax of {year} on {net} is {sorted(carried)}, not {tax}"
            yield Wrong(line, text)

    def follow(self, transfer: Transfer) -> None:
        """Add a transfer to what its players have, and end the year before its day."""
        year = year_of(transfer.day)
        if self.present and year > self.present:
            in_games = sum(self.staked.values(), Counter[tuple[str, str]]())
            for key in {*self.own, *in_games}:
                self.ended[key] = self.present, self.own[key], in_games[key]
        self.present = max(year, self.present)
        for one in transfer.of("deposit", "winnings"):
            self.own[one.player, one.currency] += one.amount
            for game in transfer.games if transfer.kind in ("buy_in", "refund") else ():
                self.staked[game][one.player, one.currency] -= one.amount
        for one in transfer.entries:
            if one.account in self.staked and not one.balance:
                del self.staked[one.account]
            elif transfer.kind == "cash_out" and one.player:
                for game in transfer.games & self.staked.keys():
                    del self.staked[game][one.player, one.currency]

    def tax(self, rate: dict[str, str], net: int, winnings: int) -> int:
        if rate["treatment"] == "none":
            return 0
        above = [bps for minor, bps in json.loads(rate["surcharges"]) if winnings > minor]
        tax = half_up(net, int(rate["bps"]))
        tax += half_up(tax, above[-1]) if above else 0
        return tax + half_up(tax, int(rate["cess_bps"]))

    def note(self, transfer: Transfer, transfers: list[Transfer]) -> None:
        """Add what else changes a player's year: deposits, reversals, returned withdrawals."""
        kind, back = transfer.kind, None
        if transfer.reverses.isdecimal() and int(transfer.reverses) <= len(transfers):
            back = transfers[int(transfer.reverses) - 1]
            kind = back.kind
        is_outside = bool(transfer.of("gateway_clearing", "suspense"))
        if kind in ("deposit", "chargeback") or (kind == "adjustment" and is_outside):
            for one in transfer.of("deposit", "winnings", "receivable"):
                if kind != "adjustment" or one.kind != "receivable":
                    self.year[one.player, one.currency, year_of(transfer.day)]["B"] += one.amount
        if back is not None and back.number in self.taxed:
            key, asked, net = self.taxed.pop(back.number)
            if year_of(transfer.day) == key[2]:
                self.year[key]["A"] -= asked
                self.year[key]["E"] -= net
            else:
                self.year[(*key[:2], year_of(transfer.day))]["C"] += asked - net


def year_of(day: date) -> int:
    return day.year if day.month > 3 else day.year - 1


# --- Everything ---------------------------------------------------------------------------------


class Books:
    """The published folder, computed again; `differences` are (file, line, text)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.differences: list[tuple[str, int, str]] = []
        self.count = Counter[str]()
        self.rows: list[tuple[str, str]] = []
        self.notes: list[str] = []

    def differ(self, name: str, wrong: Wrong) -> None:
        self.differences.append((name, wrong.line, str(wrong)))

    def text(self, name: str) -> str:
        try:
            return (self.folder / name).read_bytes().decode()
        except (OSError, UnicodeDecodeError) as error:
            self.differ(name, Wrong(1, f"cannot be read: {error}"))
            return ""

    def rebuild(self) -> None:
        try:
            self.manifest = json.loads(self.text("manifest.json") or "{}")
            self.files: dict[str, str] = dict(self.manifest["files"].items())
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            self.differ("manifest.json", Wrong(1, "is no manifest"))
            return
        self.read_journal()
        self.read_deals()
        self.read_games()
        self.check_taxes()
        self.check_hashes()

    def check_hashes(self) -> None:
        """Report files that changed after publication, and whether it makes a difference."""
        here = [path.relative_to(self.folder) for path in self.folder.rglob("*") if path.is_file()]
        for name in sorted({*map(str, here)} - {*self.files, "manifest.json"}):
            self.differ(name, Wrong(0, "is not in the manifest"))
        reason = "" if self.differences else "; no score or amount depends on the change"
        for name, digest in self.files.items():
            path = self.folder / name
            found = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
            if found != digest:
                self.differ(name, Wrong(0, f"differs from its hash in the manifest{reason}"))

    def read_journal(self) -> None:
        table = csv.DictReader(self.text("opening.csv").splitlines())
        self.opening: dict[tuple[str, str], int] = {}
        sums = Counter[str]()
        for number, row in enumerate(table, start=2):
            try:
                key, minor = (row["account"], row["currency"]), whole(row["balance_minor"])
            except (KeyError, ValueError, TypeError):
                self.differ("opening.csv", Wrong(number, "cannot be read"))
                continue
            if key in self.opening:
                self.differ("opening.csv", Wrong(number, f"{key[0]} has a row already"))
            if minor < 0 and is_never_negative(key[0]):
                self.differ("opening.csv", Wrong(number, f"{key[0]} is below 0"))
            self.opening[key] = minor
            sums[key[1]] += minor
        for currency, minor in sums.items():
            if minor:
                text = f"the balances in {currency} sum to {minor}, not 0"
                self.differ("opening.csv", Wrong(1, text))
        text = self.text("journal.csv")
        first, last = str(self.manifest.get("first")), str(self.manifest.get("last"))
        self.transfers, wrong = read_journal(text, first, last)
        for one in (*wrong, *check_journal(self.transfers, self.opening)):
            self.differ("journal.csv", one)
        self.of_game: dict[str, list[Transfer]] = defaultdict(list)
        for transfer in self.transfers:
            for game in transfer.games:
                self.of_game[game].append(transfer)
        self.count["transfers"] = len(self.transfers)

    def read_deals(self) -> None:
        self.deals: dict[str, list[Played]] = defaultdict(list)
        self.broken: set[str] = set()
        unreadable = (Wrong, KeyError, IndexError, TypeError, ValueError, RecursionError)
        for name in (name for name in self.files if name.startswith("deals/")):
            self.count["deals"] += 1
            try:
                deal = read_deal(name, self.text(name))
                if name != f"deals/{deal.game.partition(':')[2]}-{deal.no}.txt":
                    raise Wrong(2, "is another deal than the file's name says")
                self.deals[deal.game].append(deal)
            except unreadable as error:
                wrong = (
                    error if isinstance(error, Wrong) else Wrong(1, f"cannot be read: {error!r}")
                )
                self.differ(name, wrong)
                self.broken.add(f"table:{name[6:42]}")

    def read_games(self) -> None:
        games, contests, seen = {}, [], set[str]()
        checks = {"tournament": self.check_contest, "season": self.check_season}
        for number, line in enumerate(self.text("games.jsonl").splitlines(), start=1):
            try:
                row = json.loads(line)
                if row["game"] in seen:
                    raise ValueError("this game has a row already")
                seen.add(row["game"])
                if (kind := row["game"].partition(":")[0]) in checks:
                    contests.append((kind, row, number))
                    continue
                deals = sorted(self.deals[row["game"]], key=lambda deal: deal.no)
                games[row["game"]] = Game(row, number, deals)
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                self.differ("games.jsonl", Wrong(number, f"cannot be read: {error!r}"))
        for name, game in games.items():
            self.count["games"] += 1
            if name not in self.broken:
                self.guarded(game.line, self.check_game, game)
        for kind, row, number in contests:
            self.count[f"{kind}s"] += 1
            self.guarded(number, checks[kind], row, number, games)
        self.games = games
        known = {*games, *(row["game"] for _, row, _ in contests)}
        for transfer in self.transfers:
            unknown = transfer.games - known
            closing = [
                one for one in transfer.entries if one.account in unknown and not one.balance
            ]
            if closing and (transfer.kind == "prize" or transfer.of("rake")):
                text = f"{min(unknown)} was paid out, and is not among the games"
                self.differ("journal.csv", Wrong(closing[0].line, text))

    def guarded(self, line: int, check: Any, *args: Any) -> None:
        try:
            check(*args)
        except Wrong as wrong:
            where = "games.jsonl" if wrong.line == line else "journal.csv"
            self.differ(where, wrong)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            self.differ("games.jsonl", Wrong(line, f"cannot be computed: {error!r}"))

    def check_game(self, game: Game) -> None:
        for deal in game.deals:
            if deal.is_over and deal.no not in game.row["void"]:
                for name, (points, how) in deal.scores().items():
                    self.rows.append((name, f"{deal.name}: {points} points, {how}"))
        if game.rules.get("game") == "points":
            self.check_points(game)
            return
        due = game.due()
        if game.row["stake_mode"] == "cash" and game.is_over:
            self.check_payments(game, due)

    def check_payments(self, game: Game, due: Due) -> None:
        name = game.row["game"]
        moved = [one for one in self.of_game[name] if one.kind != "reversal"]
        if not moved:
            game.need(not due.paid, "the journal has no payment of this game")
            return
        closing = moved[-1]
        paid, got = flows(moved)
        if game.deals:  # Refunds before it are of players who left before the game began.
            _, back = flows([one for one in moved[:-1] if one.kind == "refund"])
            for player, minor in back.items():
                paid[player] -= minor
                got[player] -= minor
        elif not due.paid:
            due = Due(dict(paid))  # Without a deal all entries are refunded.
        if (name, game.row["currency"]) not in self.opening and game.deals:
            for player in paid:
                entries = due.entries.get(player, 0)
                if paid[player] != entries * game.entry:
                    text = f"{name}: {player} paid {paid[player]} for {entries} entries"
                    raise Wrong(self.line_of(moved, player, "buy_in"), text)
        has_expired = bool(closing.of("promotions"))
        for player in {*due.paid, *got}:
            wanted = due.paid.get(player, 0)
            if got[player] != wanted and not (has_expired and got[player] <= wanted):
                line = self.line_of(moved, player, closing.kind) or closing.line
                raise Wrong(line, f"{name}: {player} is due {wanted}, got {got[player]}")
            row = f"{name}: paid {paid[player]}, due {wanted}, got {got[player]}"
            self.rows.append((player, row))
        rake = sum(one.amount for one in closing.of("rake"))
        if rake != due.rake:
            raise Wrong(closing.line, f"{name}: the rake is {due.rake}, not {rake}")

    def line_of(self, transfers: list[Transfer], player: str, kind: str) -> int:
        entries = [one for each in transfers if each.kind == kind for one in each.entries]
        lines = [one.line for one in entries if one.player == player]
        return lines[-1] if lines else transfers[-1].line

    def check_points(self, game: Game) -> None:
        """Check the rake of each deal, and that stacks are what was paid in, won and lost."""
        game.check_deals()
        name, value = game.row["game"], game.row["point_value_minor"]
        stacks = Counter[str]()
        rakes = {one.deal: one for one in self.of_game[name] if one.kind == "rake"}
        for deal in game.scored:
            scores = deal.scores()
            gross = value * sum(points for points, _ in scores.values())
            rake = gross * game.row["rake_bps"] // 10_000
            posted = rakes.pop(str(deal.no), None)
            found = sum(one.amount for one in posted.of("rake")) if posted else 0
            if found != rake:
                line = posted.line if posted else game.line
                raise Wrong(line, f"{name}: the rake of deal {deal.no} is {rake}, not {found}")
            for player, (points, how) in scores.items():
                stacks[player] += gross - rake if how == "won" else -value * points
        if rakes:
            raise Wrong(next(iter(rakes.values())).line, f"{name}: the rake of an unknown deal")
        for transfer in self.of_game[name]:
            for one in transfer.entries:
                if one.player or one.kind == "promotions":
                    stacks[one.player] -= one.amount
        expired = stacks.pop("", 0)
        if game.is_over and (name, game.row["currency"]) not in self.opening and not expired:
            for player, stack in stacks.items():
                line = self.line_of(self.of_game[name], player, "cash_out")
                if stack:
                    raise Wrong(line, f"{name}: the stack of {player} is off by {stack}")

    def check_contest(self, row: dict[str, Any], line: int, games: dict[str, Game]) -> None:
        """Check a tournament's pool, prizes and the order of its final table (RB 10.3)."""
        name, moved = row["game"], self.of_game[row["game"]]
        if row["state"] != "finished":
            return
        got, added = winnings(moved)
        paid_in = fees = rake = 0
        for transfer in moved:
            if transfer.kind in ("buy_in", "refund"):
                # Of an entry, a rejoin, a re-entry or an add-on, which are refunded one by one.
                paid = sum(one.amount for one in transfer.entries if one.account == name)
                if abs(paid) not in (0, row["entry_minor"], row["addon_minor"]):
                    raise Wrong(transfer.line, f"{name}: {paid} is not a price of the tournament")
                paid_in += paid
                fees += paid // abs(paid or 1) * (abs(paid) * row["rake_bps"] // 10_000)
            rake += sum(one.amount for one in transfer.of("rake"))
        pool = max(row["guarantee_minor"], paid_in - fees)
        if (name, row["currency"]) in self.opening:
            return
        last = moved[-1].line
        if (rake, added) != (fees, pool - paid_in + fees):
            raise Wrong(last, f"{name}: rake or overlay of {paid_in} differs: {rake}, {added}")
        self.check_prizes(row, line, pool, got)
        self.check_final(row, line, games)

    def check_prizes(self, row: dict[str, Any], line: int, pool: int, got: dict[str, int]) -> None:
        name, moved = row["game"], self.of_game[row["game"]]
        amounts = {place: minor for place, _, minor, _ in row["prizes"]}
        if sum(amounts.values()) != pool:
            raise Wrong(line, f"{name}: the prizes are not the pool of {pool}")
        if not any(is_ticket for *_, is_ticket in row["prizes"]):
            weights = [bps for _, bps, _, _ in row["prizes"]]
            if list(amounts.values()) != by_remainder(pool, weights):
                raise Wrong(line, f"{name}: the prizes do not follow from their shares")
        wanted, in_tickets = prizes_due(row["prizes"], row["places"])
        tickets = Counter[str]()
        for one in (one for each in moved if each.kind == "prize" for one in each.of("ticket")):
            tickets[one.player] += one.amount
        for player, place in dict(reversed(row["places"])).items():  # The best place of each.
            text = f"{name}: place {place} of {player} is due"
            where = self.line_of(moved, player, "prize")
            if got[player] != wanted[player]:
                raise Wrong(where, f"{text} {wanted[player]}, got {got[player]}")
            if tickets[player] != in_tickets[player]:
                raise Wrong(where, f"{text} tickets of {in_tickets[player]}, not {tickets[player]}")
            self.rows.append((player, f"{name}: place {place}, {got[player]}"))

    def check_season(self, row: dict[str, Any], line: int, _games: dict[str, Game]) -> None:
        """Check the prizes of a season by its final points, and what they cost (RB 10.7)."""
        name, moved = row["game"], self.of_game[row["game"]]
        wanted, (got, added) = Counter[str](), winnings(moved)
        for division in row["divisions"]:
            ranks = division["points"]
            if any(one[1] < other[1] for one, other in pairwise(ranks)):
                raise Wrong(line, f"{name}: the points are not in order")
            amounts = ranks and by_remainder(division["pool"], division["bps"][: len(ranks)])
            for _, group in groupby(ranks, key=lambda one: one[1]):
                tied = [player for player, _ in group]
                wanted.update(shares(sum(amounts[: len(tied)]), tied))
                amounts = amounts[len(tied) :]
        for player in {*wanted, *got}:
            if got[player] != wanted[player]:
                due = f"is due {wanted[player]}, got {got[player]}"
                where = self.line_of(moved, player, "prize") if moved else line
                raise Wrong(where, f"{name}: {player} {due}")
            self.rows.append((player, f"{name}: {got[player]}"))
        if (name, row["currency"]) not in self.opening and added != wanted.total():
            raise Wrong(line, f"{name}: the prizes are {wanted.total()}, {added} was paid in")

    def check_final(self, row: dict[str, Any], line: int, games: dict[str, Game]) -> None:
        finals = [games[game] for game in row["final"] if game in games]
        if len(finals) == 1 and finals[0].places and row["final"][0] not in self.broken:
            at = finals[0].places
            placed = dict(reversed(row["places"]))  # The best place of each.
            order = [placed[player] for player in at if player in placed]
            if order != sorted(order):
                raise Wrong(line, f"{row['game']}: the places are not the final table's")

    def check_taxes(self) -> None:
        rates = list(csv.DictReader(self.text("rates.csv").splitlines()))
        first = str(self.manifest.get("first"))
        if self.opening and not first.endswith("-04-01"):
            self.notes.append("Taxes are not computed: the period begins inside a year.")
            return
        own = Counter[tuple[str, str]]()
        for (account, currency), minor in self.opening.items():
            player, _, kind = account.partition("/")
            own[player, currency] += minor if kind in ("deposit", "winnings") else 0
        taxes = Taxes(rates, own)
        for transfer in self.transfers:
            try:
                taxes.follow(transfer)
                taxes.note(transfer, self.transfers)
                if transfer.kind == "deposit":
                    self.all(taxes.deposit(transfer))
                if transfer.kind == "tax":
                    self.check_year_end(taxes, transfer, first)
                holds = [one for one in transfer.of("withdrawal_hold") if one.amount > 0]
                for hold in holds if transfer.kind == "withdrawal" else []:
                    self.all(taxes.withdrawal(transfer, hold.player))
            except (ValueError, KeyError, TypeError, IndexError) as error:
                self.differ("rates.csv", Wrong(1, f"the rates cannot be applied: {error!r}"))
                return
        self.count += taxes.count

    def check_year_end(self, taxes: Taxes, transfer: Transfer, first: str) -> None:
        if self.opening and year_of(transfer.day) == year_of(date.fromisoformat(first)):
            self.notes.append("The tax of the year before the period is not computed.")
            player = transfer.of("deposit", "winnings")[0]
            taxes.opening[player.player, player.currency] -= transfer.of("tds_payable")[0].amount
        else:
            self.all(taxes.year_end(transfer))

    def all(self, found: Iterable[Wrong]) -> None:
        for wrong in found:
            self.differ("journal.csv", wrong)


def flows(transfers: list[Transfer]) -> tuple[Counter[str], Counter[str]]:
    """Return what each player paid into a game in these transfers, and got from it."""
    paid, got = Counter[str](), Counter[str]()
    for transfer in transfers:
        for one in transfer.entries:
            if one.player and transfer.kind == "buy_in":
                paid[one.player] -= one.amount
            elif one.player:
                got[one.player] += one.amount
    return paid, got


def winnings(transfers: list[Transfer]) -> tuple[Counter[str], int]:
    """Return what each player won in a tournament or season, and what the operator added to it."""
    got, added = Counter[str](), 0
    for transfer in transfers:
        added -= sum(one.amount for one in transfer.of("guarantee"))
        for one in transfer.entries:
            if one.player and transfer.kind not in ("buy_in", "refund"):
                got[one.player] += one.amount
    return got, added


def prizes_due(
    prizes: Sequence[Sequence[Any]], places: Sequence[Sequence[Any]]
) -> tuple[Counter[str], Counter[str]]:
    """Return the prize of each player, and what part of it is tickets (RB 10.3, 10.5).

    Tied players are in the order of the draw; a player with a re-entry has several places.
    """
    value = min((minor for _, _, minor, is_ticket in prizes if is_ticket), default=0)
    won, in_tickets, rest = Counter[str](), Counter[str](), list(prizes)
    for _, group in groupby(places, key=lambda one: one[1]):
        tied = [player for player, _ in group]
        covered, rest = rest[: len(tied)], rest[len(tied) :]
        tickets = sum(is_ticket for *_, is_ticket in covered)
        for player in tied[:tickets]:
            in_tickets[player] = value  # Further tickets of a player are paid in money.
            won[player] += value
        heads = tied[tickets:] or tied
        money = sum(minor for _, _, minor, _ in covered) - tickets * value
        for player, part in zip(heads, equal_shares(money, len(heads)), strict=True):
            won[player] += part
    return won, in_tickets


def by_remainder(total: int, weights: list[int]) -> list[int]:
    """Share a total by weights; odd units go to the largest remainders, then the first."""
    whole_weight = sum(weights)
    parts = [total * weight // whole_weight for weight in weights]
    order = sorted(range(len(weights)), key=lambda at: (-(total * weights[at] % whole_weight), at))
    for at in order[: total - sum(parts)]:
        parts[at] += 1
    return parts


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    books = Books(Path(sys.argv[1]))
    if not (books.folder / "manifest.json").is_file():
        print(f"{books.folder} has no manifest.json: name a folder written by publish_books.")
        return 2
    books.rebuild()
    for name, line, text in sorted(books.differences):
        print(f"{name}:{line}: {text}")
    for player, text in books.rows:
        if player in sys.argv[2:]:
            print(text)
    print("\n".join(books.notes), end="\n" if books.notes else "")
    print(", ".join(f"{number} {what}" for what, number in books.count.items()))
    manifest = hashlib.sha256((books.folder / "manifest.json").read_bytes()).hexdigest()
    print(f"{len(books.differences)} differences; SHA-256 of the manifest: {manifest}")
    return 1 if books.differences else 0


if __name__ == "__main__":
    sys.exit(main())
