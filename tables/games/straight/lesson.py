"""An illustrated lesson in straight rummy; examples and points follow the rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext as _

from rummy import StraightRules, parse_cards
from tables.games.cards import Lesson, Part, Picture
from tables.games.straight import rule_text

RUN: Final = "5H 6H 7H"
SET: Final = "9C 9D 9S"
LOW_ACE: Final = "AS 2S 3S"
HIGH_ACE: Final = "QS KS AS"
LAID_OFF: Final = "4H 5H 6H 7H"
LOSING: Final = "KD 8S 4C AH"


def lesson(rules: StraightRules) -> Lesson:
    """Return the sections of the page, with the numbers of these rules."""
    parts = (_goal(rules), _melds(rules), _turn(rules), _laying_off(rules), _going_out(rules))
    return Lesson((*parts, _scores(rules), _game(rules)))


def points_of(cards: str, rules: StraightRules) -> int:
    """Return the points of the cards left in a hand."""
    return sum(map(rules.points_of, parse_cards(cards)))


def _goal(rules: StraightRules) -> Part:
    return Part(
        "goal",
        _("Goal"),
        (
            *rule_text.hands_text(rules),
            _("Lay your cards on the table in melds. The first player with no cards left wins."),
        ),
        (Picture(f"{RUN} | {SET}", _("Two melds on the table, visible to all.")),),
    )


def _melds(rules: StraightRules) -> Part:
    has_low, has_high = rules.aces != "high", rules.aces != "low"
    return Part(
        "melds",
        _("Melds"),
        (_("There are two kinds of melds and no jokers."),),
        (
            Picture(RUN, _("Run: three or more cards of one suit in a row.")),
            Picture(SET, _("Set: three or four cards of one rank.")),
            Picture(LOW_ACE, _("The ace is low here.") if has_low else _no_low(), has_low),
            Picture(HIGH_ACE, _("The ace is high here.") if has_high else _no_high(), has_high),
            Picture("5D 6D 8D", _("Not a meld: the seven is missing."), False),
        ),
    )


def _no_low() -> str:
    return _("Not a meld: the ace is high only.")


def _no_high() -> str:
    return _("Not a meld: the ace is low only.")


def _turn(rules: StraightRules) -> Part:
    sentences = [
        _("First take one card: from the stock, or the top card of the open pile."),
        _("Then lay down melds if you have any, and discard a card to the open pile."),
    ]
    if rules.max_melds_per_turn is not None:
        sentences.append(
            _("Melds in one turn, at most: %(melds)s.") % {"melds": rules.max_melds_per_turn}
        )
    if not rules.may_discard_taken:
        sentences.append(
            _("A card taken from the open pile may not be discarded in the same turn.")
        )
    return Part(
        "turn",
        _("A turn"),
        tuple(sentences),
        (
            Picture("5H 7H / KD 8S", _("Before: the six of hearts is missing.")),
            Picture(
                f"{RUN} / 8S", _("You take it, lay the run on the table and discard the king.")
            ),
        ),
    )


def _laying_off(rules: StraightRules) -> Part:
    sentences = [
        _("A card that fits a meld on the table, your own or another's, may be laid off there."),
        _("Cards on the table stay in their meld."),
    ]
    if not rules.lay_off_before_meld:
        sentences.append(_("You must have laid a meld before you may lay off."))
    return Part(
        "laying-off",
        _("Laying off"),
        tuple(sentences),
        (
            Picture(f"{RUN} / 4H", _("Before: the four of hearts fits the run.")),
            Picture(LAID_OFF, _("Laid off: your hand has one card less.")),
        ),
    )


def _going_out(rules: StraightRules) -> Part:
    sentences = [_("The first player with no cards left wins the deal.")]
    if rules.must_discard_last:
        sentences.append(_("Keep a card for the end: the last one must be discarded."))
    else:
        sentences.append(_("The last card may be discarded, laid off, or part of a meld."))
    sentences.append(rule_text.going_rummy(rules))
    last = Picture(
        f"{RUN} | {SET} / KD", _("Two melds, and the king to discard: you win the deal.")
    )
    return Part("going-out", _("Going out"), tuple(sentences), (last,))


def _scores(rules: StraightRules) -> Part:
    points = points_of(LOSING, rules)
    if rules.scoring == "penalty":
        whose = _("The cards left in your hand count against you; the lowest total wins.")
    else:
        whose = _("The winner of a deal scores the cards left in all other hands.")
    numbers = {"ace": rules.ace_points, "points": points}
    return Part(
        "scores",
        _("Points of the remaining cards"),
        (
            _("King, queen and jack count 10, the ace %(ace)s, other cards their number.")
            % numbers,
            _("Melds on the table cost no points."),
            whose,
        ),
        (Picture(f"/ {LOSING}", _("10 + 8 + 4 + %(ace)s = %(points)s points.") % numbers),),
    )


def _game(rules: StraightRules) -> Part:
    return Part("game", _("The game"), tuple(_of_the_game(rules)))


def _of_the_game(rules: StraightRules) -> Iterator[str]:
    yield _("Every player pays one entry; the points of all deals are added.")
    yield from rule_text.of_the_end(rules)
    yield _("The winner takes the prize.")
