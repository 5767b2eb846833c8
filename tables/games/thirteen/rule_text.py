"""The rules of the thirteen-card family as text; every number comes from the rules."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rummy import Rules, Suit
from rummy.notation.rules import MOST_DECKS
from tables.games.rule_text import pauses_text, players_text, turns_text


def sections_of_play(rules: Rules) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the rules of a deal as sections: a title and their sentences."""
    yield _("Groups"), _groups(rules)
    yield _("Declaring"), _declaring(rules)
    yield _("Points of a losing hand"), _scoring(rules)
    yield _("Dropping and missing turns"), _dropping(rules)
    yield _("The deal"), _dealing(rules)


def of_cards(rules: Rules) -> Iterator[str]:
    yield players_text(rules)
    fewest = rules.decks_for(rules.players_min)
    yield ngettext("One deck of 52 cards.", "%(decks)s decks of 52 cards.", fewest) % {
        "decks": fewest
    }
    if rules.decks_max > fewest:
        yield _("From %(players)s players on three decks are used.") % {
            "players": rules.three_decks_from
        }
    if rules.printed_jokers_per_deck:
        yield ngettext(
            "One printed joker in every deck.",
            "%(jokers)s printed jokers in every deck.",
            rules.printed_jokers_per_deck,
        ) % {"jokers": rules.printed_jokers_per_deck}
    else:
        yield _("There are no printed jokers.")
    yield _(
        "Every player gets 13 cards. One card is turned up as the wild card: all cards of its rank "
        "are jokers too."
    )
    if rules.printed_jokers_per_deck:
        yield _(
            "If a printed joker is turned up, aces are the wild cards; printed jokers stay jokers."
        )
    yield _(
        "The card before it opens the open pile; the wild card stays under the stock and is never "
        "drawn."
    )


def _groups(rules: Rules) -> Iterator[str]:
    yield _(
        "A pure sequence is three or more cards of one suit in a row, each standing "
        "for itself. The ace is low or high, never both."
    )
    if rules.max_jokers_per_sequence != 0:
        yield _("A sequence may have jokers in its gaps or at its ends.")
    yield jokers_of_a_sequence(rules.max_jokers_per_sequence)
    yield _("A set is three or more cards of one rank in different suits.")
    yield _jokers_of_a_set(rules.max_jokers_per_set)
    size = _largest_set(rules)
    if size is None:
        yield _("With jokers a set may be of any size.")
    else:
        yield _("A set has at most %(cards)s cards.") % {"cards": size}
    yield ngettext(
        "Every group has at least one card that is not a joker or stands for itself.",
        "Every group has at least %(cards)s cards that are not jokers or stand for themselves.",
        rules.min_naturals,
    ) % {"cards": rules.min_naturals}
    if rules.identical_triples and rules.decks_max == MOST_DECKS:
        yield _("With three decks, three identical cards are a pure sequence.")


def jokers_of_a_sequence(number: int | None) -> str:
    """Return how many jokers a sequence may have; None means any number (RB 2.2)."""
    if number is None:
        return _("A sequence takes any number of jokers.")
    if not number:
        return _("A sequence takes no jokers.")
    return ngettext(
        "A sequence takes at most one joker.", "A sequence takes at most %(number)s jokers.", number
    ) % {"number": number}


def _jokers_of_a_set(number: int | None) -> str:
    if number is None:
        return _("A set takes any number of jokers.")
    if not number:
        return _("A set takes no jokers.")
    return ngettext(
        "A set takes at most one joker.", "A set takes at most %(number)s jokers.", number
    ) % {"number": number}


def _largest_set(rules: Rules) -> int | None:
    """Return the size limit of a set, one card of each suit and the jokers; None for no limit."""
    if rules.max_jokers_per_set is None:
        return rules.max_set_size
    most = len(Suit) + rules.max_jokers_per_set
    return most if rules.max_set_size is None else min(most, rules.max_set_size)


def _declaring(rules: Rules) -> Iterator[str]:
    yield _(
        "To declare, discard one card and arrange the other 13 in groups: two sequences or more, "
        "one of them pure."
    )
    yield _("Any of the 14 cards may be discarded, also a joker.")
    yield from life_of_four(rules)
    if rules.loose_jokers:
        yield _("Jokers may be left ungrouped.")
    else:
        yield _("Every card must be in a group, also jokers.")
    yield ngettext(
        "A wrong declaration costs %(points)s point, and the player is out of the deal.",
        "A wrong declaration costs %(points)s points, and the player is out of the deal.",
        rules.cap,
    ) % {"points": rules.cap}
    yield _("A declaration is judged as sent, even if a better grouping exists.")


def _scoring(rules: Rules) -> Iterator[str]:
    yield _(
        "Ace, king, queen and jack cost 10 points, other cards their number, jokers nothing. Your "
        "hand is always arranged so that it costs you the least."
    )
    yield with_the_sequences(rules)
    yield without_them(rules)
    yield never_more(rules)
    if rules.half_without_turn:
        yield _(
            "A player who had no turn before another declares pays half the points, rounded down."
        )
    if rules.least_loss:
        yield ngettext(
            "A player who loses pays at least %(points)s point.",
            "A player who loses pays at least %(points)s points.",
            rules.least_loss,
        ) % {"points": rules.least_loss}


def life_of_four(rules: Rules) -> Iterator[str]:
    """Yield the requirement of a four-card sequence in a declaration, if any (RB 3.2)."""
    if rules.life_of_four == "any":
        yield _("One of the sequences, pure or not, has four cards or more.")
    if rules.life_of_four == "other":
        yield _("A sequence other than the pure one has four cards or more.")


def with_the_sequences(rules: Rules) -> str:
    """Return the cards that count in a hand with the required sequences (RB 4.2)."""
    return {
        "none": _("With two sequences, one of them pure, only the cards outside groups count."),
        "any": _(
            "With two sequences, one of them pure and one of four cards or more, only the cards "
            "outside groups count."
        ),
        "other": _(
            "With two sequences, one of them pure and the other of four cards or more, only the "
            "cards outside groups count."
        ),
    }[rules.life_of_four]


def without_them(rules: Rules) -> str:
    """Return the cards that count in a hand without them (RB 4.2-4.4)."""
    if rules.unmet_points == "flat":
        return ngettext(
            "Without them a hand costs %(points)s point, whatever its cards are worth.",
            "Without them a hand costs %(points)s points, whatever its cards are worth.",
            rules.cap,
        ) % {"points": rules.cap}
    if rules.unmet == "all":
        return _("Without them all 13 cards count.")
    return _("Without them all cards count that are not in pure sequences.")


def never_more(rules: Rules) -> str:
    """Return the cap on a hand's points (RB 4.3)."""
    return ngettext(
        "A hand never costs more than %(points)s point.",
        "A hand never costs more than %(points)s points.",
        rules.cap,
    ) % {"points": rules.cap}


def _dropping(rules: Rules) -> Iterator[str]:
    if rules.drops_allowed:
        yield _("You can drop on your own turn only, before you draw.")
        yield ngettext(
            "A first drop, before drawing any card, costs %(points)s point.",
            "A first drop, before drawing any card, costs %(points)s points.",
            rules.first_drop,
        ) % {"points": rules.first_drop}
        yield ngettext(
            "A middle drop, later in the deal, costs %(points)s point.",
            "A middle drop, later in the deal, costs %(points)s points.",
            rules.middle_drop,
        ) % {"points": rules.middle_drop}
        yield _("Missed turns in a row that count as a middle drop: %(turns)s.") % {
            "turns": rules.misses_allowed
        }
    else:
        yield _("There are no drops.")
        yield ngettext(
            "Missed turns in a row that cost %(points)s point: %(turns)s.",
            "Missed turns in a row that cost %(points)s points: %(turns)s.",
            rules.cap,
        ) % {"points": rules.cap, "turns": rules.misses_allowed}
    if rules.misses_allowed_for_two is not None:
        yield _("With two players in the deal: %(turns)s.") % {
            "turns": rules.misses_allowed_for_two
        }
    if rules.absent_pays_lower:
        yield ngettext(
            "A player who missed the last turn, or too many, pays no more than %(points)s point, "
            "and less if the hand costs less.",
            "A player who missed the last turn, or too many, pays no more than %(points)s points, "
            "and less if the hand costs less.",
            rules.drop_when_absent,
        ) % {"points": rules.drop_when_absent}


def _dealing(rules: Rules) -> Iterator[str]:
    yield _(
        "In a turn you draw one card, from the stock or the top of the open pile, and then discard "
        "one or declare. A card just taken from the open pile may be discarded again."
    )
    yield {
        "first_only": _(
            "A joker may be taken from the open pile only while it is the first card turned up."
        ),
        "never": _("A joker may never be taken from the open pile."),
        "always": _("A joker may be taken from the open pile at any time."),
    }[rules.open_joker]
    yield from _stock(rules.max_reshuffles)
    yield _(
        "If hands are equal, the player earlier in turn order wins. Players who have dropped or "
        "declared wrongly cannot win."
    )
    yield _(
        "When all others have dropped, left or declared wrongly, the last player wins the deal "
        "without declaring."
    )


def _stock(reshuffles: int) -> Iterator[str]:
    if not reshuffles:
        yield _("When the stock is used up, the deal ends after that turn: the lowest hand wins.")
        return
    yield ngettext(
        "Once in a deal, when the stock is used up, the open pile but its top card is shuffled "
        "into a new stock.",
        "Up to %(times)s times in a deal, when the stock is used up, the open pile but its top "
        "card is shuffled into a new stock.",
        reshuffles,
    ) % {"times": reshuffles}
    yield _(
        "When the stock is used up after that, or no card can be shuffled, the deal ends: the "
        "lowest hand wins."
    )


def of_leaving(rules: Rules) -> Iterator[str]:
    if rules.drops_allowed:
        yield ngettext(
            "Leaving in a deal counts at once as a drop: %(first)s point if you have not drawn a "
            "card in it, else %(middle)s. After a declaration it costs nothing more.",
            "Leaving in a deal counts at once as a drop: %(first)s points if you have not drawn a "
            "card in it, else %(middle)s. After a declaration it costs nothing more.",
            rules.first_drop,
        ) % {"first": rules.first_drop, "middle": rules.middle_drop}
    else:
        yield ngettext(
            "Leaving in a deal costs %(points)s point at once. After a declaration it costs "
            "nothing more.",
            "Leaving in a deal costs %(points)s points at once. After a declaration it costs "
            "nothing more.",
            rules.cap,
        ) % {"points": rules.cap}


def of_time(rules: Rules) -> Iterator[str]:
    yield from turns_text(rules)
    yield ngettext(
        "To group one's cards after a declaration: %(seconds)s second.",
        "To group one's cards after a declaration: %(seconds)s seconds.",
        rules.meld_seconds,
    ) % {"seconds": rules.meld_seconds}
    yield _(
        "A player who sends no groups in that time is still charged the least the cards can cost."
    )
    yield from pauses_text(rules)
    if rules.rejoin:
        yield ngettext(
            "To answer whether to rejoin: %(seconds)s second.",
            "To answer whether to rejoin: %(seconds)s seconds.",
            rules.rejoin_seconds,
        ) % {"seconds": rules.rejoin_seconds}
    if rules.split:
        yield ngettext(
            "To answer a split: %(seconds)s second.",
            "To answer a split: %(seconds)s seconds.",
            rules.split_seconds,
        ) % {"seconds": rules.split_seconds}
