"""An illustrated lesson in the thirteen-card games; examples and points follow the rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rummy import Rank, Rules, best_arrangement, parse_cards
from tables.games.cards import Lesson, Part, Picture
from tables.games.thirteen import rule_text

# All examples are of one deal, with the seven of spades as its wild card.
WILD: Final = Rank.SEVEN
PURE: Final = "3H 4H 5H"
SEQUENCE: Final = "8C 9C PJ JC"
SET: Final = "KD KS KC"
SHOWN: Final = f"{PURE} | {SEQUENCE} | {SET} | 9D TD JD"
LOSING: Final = f"{PURE} | {SEQUENCE} / KD KS QD 9D 4S 2C"
NOT_PURE: Final = f"{SEQUENCE} | {SET} / QH 9S 6D 5D 3S 2H"
LIMIT, DEALS, CHIPS, POINT_VALUE = 101, 2, 160, 2


def lesson(rules: Rules) -> Lesson:
    """Return the sections of the page, with the numbers of these rules."""
    parts = (_goal(rules), _groups(), _jokers(rules), _turn(), _show(rules), _drop(rules))
    shown = (part for part in parts if part)
    return Lesson((*shown, _scores(rules), _games(rules)), wild=str(WILD))


def points_of(cards: str, rules: Rules) -> tuple[int, int]:
    """Return a losing hand's points, and the sum of its cards before the cap.

    >>> from tables.games import PROFILES
    >>> points_of(LOSING, PROFILES["total-rummy-pool-101"])
    (45, 45)
    """
    hand = parse_cards(cards.replace("|", " ").replace("/", " "))
    priced = best_arrangement(hand, wild=WILD, rules=rules)
    return priced.points, priced.raw_points


def _goal(rules: Rules) -> Part:
    return Part(
        "goal",
        _("Goal"),
        (
            _("Every player gets 13 cards. Be the first to arrange yours in groups."),
            _("At least two groups must be sequences, one of them pure."),
            *rule_text.life_of_four(rules),
        ),
        (Picture(SHOWN, _("A finished hand: 13 cards in four groups.")),),
    )


def _groups() -> Part:
    return Part(
        "groups",
        _("Groups"),
        (_("There are three kinds of groups."),),
        (
            Picture(PURE, _("Pure sequence: cards of one suit in a row, without a joker.")),
            Picture(SEQUENCE, _("Sequence: a joker stands for the missing ten.")),
            Picture(SET, _("Set: cards of one rank in different suits.")),
            Picture("KH AH 2H", _("Not a group: the ace is low or high, never both."), False),
            Picture("5D 6D 8D", _("Not a group: the seven is missing."), False),
        ),
    )


def _jokers(rules: Rules) -> Part:
    sentences = [
        _("After the deal one card is turned up. All cards of its rank are jokers in this deal."),
        _("A joker stands for any card of a sequence or a set, but not of a pure sequence."),
    ]
    if rules.max_jokers_per_sequence is not None:
        sentences.append(rule_text.jokers_of_a_sequence(rules.max_jokers_per_sequence))
    return Part(
        "jokers",
        _("Jokers"),
        tuple(sentences),
        (
            Picture("7S", _("Turned up: a seven. Every seven is a joker, marked with a star.")),
            Picture("PJ", _("A printed joker is always a joker.")),
            Picture("QS QH 7D", _("A set of two queens and a seven as a joker.")),
            Picture("6S 7S 8S", _("Used as a seven, it is not a joker: this sequence is pure.")),
        ),
    )


def _turn() -> Part:
    return Part(
        "turn",
        _("A turn"),
        (
            _("First take one card: from the stock, or the top card of the open pile."),
            _("Then discard one card to the open pile, so that you hold 13 again."),
        ),
        (
            Picture("3H 5H / QD", _("Before: the four of hearts is missing.")),
            Picture("3H 4H 5H", _("You take it, discard the queen and have a pure sequence.")),
        ),
    )


def _show(rules: Rules) -> Part:
    return Part(
        "show",
        _("Showing"),
        (
            _("With all cards in groups, put your fourteenth card on the finish slot."),
            _("If the groups are valid, you win the deal with 0 points."),
            ngettext(
                "Otherwise it is a wrong show and costs %(cap)s point.",
                "Otherwise it is a wrong show and costs %(cap)s points.",
                rules.cap,
            )
            % {"cap": rules.cap},
        ),
        (
            Picture(SHOWN, _("A valid show.")),
            Picture(NOT_PURE, _("A wrong show: no pure sequence, and ungrouped cards."), False),
        ),
    )


def _drop(rules: Rules) -> Part | None:
    if not rules.drops_allowed:
        return None
    numbers = {"first": rules.first_drop, "middle": rules.middle_drop, "cap": rules.cap}
    return Part(
        "drop",
        _("Dropping"),
        (
            _("With bad cards you can drop on your turn, before you take a card."),
            ngettext(
                "Before you have drawn any card in the deal that costs %(first)s point, later "
                "%(middle)s.",
                "Before you have drawn any card in the deal that costs %(first)s points, later "
                "%(middle)s.",
                rules.first_drop,
            )
            % numbers,
            _("Playing on and losing costs up to %(cap)s.") % numbers,
        ),
        (Picture("/ KD QS JH TC 9D 8H 6S 5C 4D 2S AH AC 3D", _("A hand to drop.")),),
    )


def _scores(rules: Rules) -> Part:
    (points, _raw), (most, raw) = points_of(LOSING, rules), points_of(NOT_PURE, rules)
    return Part(
        "scores",
        _("Points of a losing hand"),
        (
            _(
                "Aces, kings, queens, jacks and tens cost 10, other cards their number, jokers "
                "nothing."
            ),
            rule_text.with_the_sequences(rules),
            rule_text.without_them(rules),
            rule_text.never_more(rules),
        ),
        (
            Picture(
                LOSING,
                _("10 + 10 + 10 + 9 + 4 + 2 = %(points)s points.") % {"points": points},
            ),
            Picture(
                NOT_PURE,
                _("No pure sequence: all cards together are %(raw)s, so it costs %(points)s.")
                % {"raw": raw, "points": most},
                False,
            ),
        ),
    )


def _games(rules: Rules) -> Part:
    return Part("games", _("Pool, points, deals"), tuple(_of_games(rules)))


def _of_games(rules: Rules) -> Iterator[str]:
    points, _raw = points_of(LOSING, rules)
    limit = rules.limit or LIMIT
    yield _(
        "Pool: every player pays one entry, and the points of all deals are added. With %(limit)s "
        "or more you are out; the last player left takes the pot."
    ) % {"limit": limit}
    before = limit - points
    yield _("Example: you have %(before)s and lose %(points)s. That makes %(limit)s: out.") % {
        "before": before,
        "points": points,
        "limit": limit,
    }
    yield _("Points: each deal is a game of its own; losers pay the winner a price per point.")
    yield _("Example: at ₹%(value)s a point the hand of %(points)s points costs ₹%(sum)s.") % {
        "value": POINT_VALUE,
        "points": points,
        "sum": POINT_VALUE * points,
    }
    chips, deals = rules.chips or CHIPS, rules.deals or DEALS
    yield _(
        "Deals: %(deals)s deals, and %(chips)s chips for every player. The winner of a deal gets a "
        "chip for each point of the others; most chips at the end win."
    ) % {"deals": deals, "chips": chips}
    yield _("Example: the hand of %(points)s points leaves you %(left)s of %(chips)s chips.") % {
        "points": points,
        "left": chips - points,
        "chips": chips,
    }
