"""The rules of straight rummy as text for players; every number comes from the rules (RB 9)."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rummy import StraightRules
from tables.games.rule_text import entries_text, pauses_text, players_text, turns_text


def of_cards(rules: StraightRules) -> Iterator[str]:
    yield players_text(rules)
    yield _("One deck of 52 cards, without jokers.")
    yield from hands_text(rules)
    yield _("The next card opens the open pile; the rest is the stock.")


def hands_text(rules: StraightRules) -> Iterator[str]:
    """Yield the number of cards for each number of players."""
    for fewest, most in ((2, 2), (3, 4), (5, 6)):
        least, top = max(fewest, rules.players_min), min(most, rules.players_max)
        numbers = {"least": least, "most": top, "cards": rules.cards_for(fewest)}
        if least == top:
            yield _("%(least)s players get %(cards)s cards each.") % numbers
        elif least < top:
            yield _("%(least)s or %(most)s players get %(cards)s cards each.") % numbers


def sections_of_play(rules: StraightRules) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the rules of a deal as sections: a title and their sentences."""
    yield _("Melds"), _melds(rules)
    yield _("A turn"), _turn(rules)
    yield _("When the stock is used up"), _stock(rules)
    yield _("Points"), _points(rules)


def _melds(rules: StraightRules) -> Iterator[str]:
    yield _("A run is three or more cards of one suit in a row.")
    yield {
        "low": _("The ace is low: A-2-3 is a run, Q-K-A is not."),
        "high": _("The ace is high: Q-K-A is a run, A-2-3 is not."),
        "both": _("The ace is low or high: A-2-3 and Q-K-A are runs."),
    }[rules.aces]
    if rules.round_the_corner:
        yield _("Runs may wrap around: K-A-2 is one.")
    yield _("A set is three or four cards of one rank.")
    yield _("Melds lie open on the table; cards on the table stay in their meld.")


def _turn(rules: StraightRules) -> Iterator[str]:
    yield _("Draw a card from the stock, or the top of the open pile.")
    yield _("Then you may lay melds on the table and lay cards off on any meld there.")
    if rules.max_melds_per_turn is not None:
        yield _("Melds in one turn, at most: %(melds)s.") % {"melds": rules.max_melds_per_turn}
    if not rules.lay_off_before_meld:
        yield _("You must have laid a meld before you may lay off.")
    yield _("Finally discard a card to the open pile.")
    if not rules.may_discard_taken:
        yield _("A card taken from the open pile may not be discarded in the same turn.")
    if rules.must_discard_last:
        yield _(
            "The first player with no cards left wins the deal; the last card must be discarded."
        )
    else:
        yield _("The first player with no cards left wins the deal, with or without a discard.")


def _stock(rules: StraightRules) -> Iterator[str]:
    if not rules.max_refills:
        yield _("When the stock is used up, the deal ends after that turn: the lowest hand wins.")
    else:
        if rules.refill == "turn_over":
            yield _(
                "The next player takes the top of the open pile, or turns the whole pile over as a "
                "new stock."
            )
        else:
            yield _("All of the open pile but its top card is shuffled into a new stock.")
        yield ngettext(
            "The stock is refilled once in a deal. When it is used up again, or nothing is left to "
            "refill it, the deal ends, and the lowest hand wins.",
            "The stock is refilled up to %(times)s times in a deal. When it is used up once more, "
            "or nothing is left to refill it, the deal ends, and the lowest hand wins.",
            rules.max_refills,
        ) % {"times": rules.max_refills}
    yield ngettext(
        "A deal ends after %(turns)s turn; the lowest hand wins.",
        "A deal ends after %(turns)s turns; the lowest hand wins.",
        rules.max_turns,
    ) % {"turns": rules.max_turns}
    yield _("If hands are equal, the player earlier in turn order wins.")


def _points(rules: StraightRules) -> Iterator[str]:
    yield ngettext(
        "King, queen and jack count 10 points, the ace %(ace)s point, other cards their number.",
        "King, queen and jack count 10 points, the ace %(ace)s points, other cards their number.",
        rules.ace_points,
    ) % {"ace": rules.ace_points}
    if rules.scoring == "penalty":
        yield _("The cards left in your hand count against you; the lowest total wins.")
        yield _(
            "When the stock or the turns of a deal are used up, all hands count, the lowest too."
        )
    else:
        yield _("The winner of a deal scores the cards left in all other hands.")
        yield _(
            "When the stock or the turns of a deal are used up, the lowest hand scores by how much "
            "each of the others is higher."
        )
    yield going_rummy(rules)


def going_rummy(rules: StraightRules) -> str:
    """Return the bonus for laying all cards in one turn (RB 9.3, 9.4)."""
    if rules.rummy_bonus is None:
        return _(
            "Going rummy, all cards in one turn and none laid before, doubles the others' points."
        )
    if not rules.rummy_bonus:
        return _("Going rummy, all cards in one turn and none laid before, has no bonus.")
    if rules.scoring == "penalty":
        return ngettext(
            "Going rummy, all cards in one turn and none laid before, takes %(bonus)s point off "
            "your own total.",
            "Going rummy, all cards in one turn and none laid before, takes %(bonus)s points off "
            "your own total.",
            rules.rummy_bonus,
        ) % {"bonus": rules.rummy_bonus}
    return ngettext(
        "Going rummy, all cards in one turn and none laid before, adds %(bonus)s point.",
        "Going rummy, all cards in one turn and none laid before, adds %(bonus)s points.",
        rules.rummy_bonus,
    ) % {"bonus": rules.rummy_bonus}


def of_leaving_a_deal() -> Iterator[str]:
    yield _(
        "A player who leaves in a deal is out of it at once; the cards in that hand count at its "
        "end."
    )
    yield _("If all others have left, the last player wins the deal.")


def of_the_game(rules: StraightRules) -> Iterator[str]:
    yield from of_the_end(rules)
    yield _("Tied leaders play on until one is ahead.")
    yield _("The winner takes the prize.")
    yield from entries_text()


def of_the_end(rules: StraightRules) -> Iterator[str]:
    """Yield the condition for the end of the game."""
    if rules.target is not None:
        yield ngettext(
            "The game ends when a total reaches %(target)s point.",
            "The game ends when a total reaches %(target)s points.",
            rules.target,
        ) % {"target": rules.target}
    else:
        yield ngettext("One deal is played.", "%(deals)s deals are played.", rules.rounds or 0) % {
            "deals": rules.rounds
        }
    if rules.scoring == "penalty":
        yield _("The lowest total wins.")
    else:
        yield _("The highest total wins.")


def of_time(rules: StraightRules) -> Iterator[str]:
    yield from turns_text(rules)
    yield _("Missed turns in a row after which you are out of the deal: %(turns)s.") % {
        "turns": rules.misses_allowed
    }
    yield from pauses_text(rules)
