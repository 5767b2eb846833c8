"""The rules of the thirteen-card family as text; every number comes from the rules."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rummy import Rules
from tables.games.cards import words_of_pauses


def sections_of_play(rules: Rules) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the rules of a deal as titles with their sentences."""
    yield _("Groups"), _groups(rules)
    yield _("Declaring"), _declaring(rules)
    yield _("What a losing hand costs"), _scoring(rules)
    yield _("Dropping and missing turns"), _dropping(rules)
    yield _("The deal"), _dealing(rules)


def of_cards(rules: Rules) -> Iterator[str]:
    yield _("%(least)s to %(most)s players.") % {
        "least": rules.players_min,
        "most": rules.players_max,
    }
    yield ngettext("One deck of 52 cards.", "%(decks)s decks of 52 cards.", rules.decks) % {
        "decks": rules.decks
    }
    if rules.three_decks_from is not None:
        yield _("From %(players)s players on a third deck is added.") % {
            "players": rules.three_decks_from
        }
    yield ngettext(
        "One printed joker in every deck.",
        "%(jokers)s printed jokers in every deck.",
        rules.printed_jokers_per_deck,
    ) % {"jokers": rules.printed_jokers_per_deck}
    yield _(
        "Every player gets 13 cards. One card is turned up as the wild card: all cards "
        "of its rank may stand in for others."
    )
    if rules.printed_jokers_per_deck:
        yield _(
            "If a printed joker is turned up, aces are the wild cards; printed jokers stay jokers."
        )
    yield _(
        "The card before it opens the open pile; the wild card lies under the stock and is never "
        "drawn."
    )


def _groups(rules: Rules) -> Iterator[str]:
    yield _(
        "A pure sequence is three or more cards of one suit in a row, each standing "
        "for itself. The ace is low or high, never both."
    )
    yield _("A sequence may have jokers in its gaps or at its ends.")
    yield _limit_of_jokers(
        rules.max_jokers_per_sequence,
        _("A sequence takes any number of jokers."),
        _("A sequence takes at most %(number)s jokers."),
    )
    yield _("A set is three or more cards of one rank in different suits.")
    yield _limit_of_jokers(
        rules.max_jokers_per_set,
        _("A set takes any number of jokers."),
        _("A set takes at most %(number)s jokers."),
    )
    if rules.max_set_size is None:
        yield _("With jokers a set may be of any size.")
    else:
        yield _("With jokers a set has at most %(cards)s cards.") % {"cards": rules.max_set_size}
    yield _("Cards in every group that stand for themselves: %(cards)s or more.") % {
        "cards": rules.min_naturals
    }
    if rules.identical_triples:
        yield _("With three decks, three identical cards are a pure sequence.")


def _limit_of_jokers(number: int | None, unlimited: str, limited: str) -> str:
    return unlimited if number is None else limited % {"number": number}


def _declaring(rules: Rules) -> Iterator[str]:
    yield _(
        "To declare, lay one card aside and the other 13 in groups: two sequences or "
        "more, one of them pure."
    )
    yield _("Any of the 14 cards may be laid aside, a joker too.")
    if rules.life_of_four == "any":
        yield _("One of the sequences, pure or not, has four cards or more.")
    if rules.life_of_four == "other":
        yield _("A sequence other than the pure one has four cards or more.")
    if rules.loose_jokers:
        yield _("Jokers may lie outside the groups.")
    else:
        yield _("No card may lie outside a group, not even a joker.")
    yield _("A wrong declaration costs %(points)s points, and one is out of the deal.") % {
        "points": rules.cap
    }
    yield _("A declaration is judged as it was sent; that a better grouping exists is no help.")


def _scoring(rules: Rules) -> Iterator[str]:
    yield _(
        "Ace, king, queen and jack cost 10 points, other cards their number, jokers "
        "nothing. You are always charged the least your cards can cost."
    )
    yield _("A hand never costs more than %(points)s points.") % {"points": rules.cap}
    if rules.unmet == "all":
        yield _("Without the sequences a declaration needs, all 13 cards count.")
    else:
        yield _("Without the sequences a declaration needs, only pure sequences are free.")
    if rules.unmet_points == "flat":
        yield _("Such a hand costs the full %(points)s points.") % {"points": rules.cap}
    if rules.half_without_turn:
        yield _(
            "A player who had no turn before another declares pays half the points, rounded down."
        )
    if rules.least_loss:
        yield _("A player who loses pays at least %(points)s points.") % {
            "points": rules.least_loss
        }


def _dropping(rules: Rules) -> Iterator[str]:
    if rules.drops_allowed:
        yield _("You can drop on your own turn only, before you draw.")
        yield _("A first drop, before drawing any card, costs %(points)s points.") % {
            "points": rules.first_drop
        }
        yield _("A middle drop, later in the deal, costs %(points)s points.") % {
            "points": rules.middle_drop
        }
        yield _("Missed turns in a row that count as a middle drop: %(turns)s.") % {
            "turns": rules.misses_allowed
        }
    else:
        yield _("Nobody can drop.")
        yield _("Missed turns in a row that cost %(points)s points: %(turns)s.") % {
            "points": rules.cap,
            "turns": rules.misses_allowed,
        }
    if rules.misses_allowed_for_two is not None:
        yield _("With two players in the deal: %(turns)s.") % {
            "turns": rules.misses_allowed_for_two
        }
    if rules.absent_pays_lower:
        yield _(
            "A player who missed the last turn, or too many, pays no more than %(points)s points, "
            "and less if the hand costs less."
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
    yield _(
        "How often the open pile may be shuffled into a new stock: %(times)s. After "
        "that the lowest hand wins."
    ) % {"times": rules.max_reshuffles}
    yield _(
        "Of equal hands the earlier in turn order wins. Players who have dropped or declared "
        "wrongly cannot win."
    )
    yield _(
        "When all others have dropped, left or declared wrongly, the last player wins the deal "
        "without declaring."
    )


def of_leaving(rules: Rules) -> Iterator[str]:
    if rules.drops_allowed:
        yield _(
            "Leaving in a deal counts at once as a drop: %(first)s points if you have not drawn a "
            "card in it, else %(middle)s. After a declaration it costs nothing more."
        ) % {"first": rules.first_drop, "middle": rules.middle_drop}
    else:
        yield _(
            "Leaving in a deal costs %(points)s points at once. After a declaration it costs "
            "nothing more."
        ) % {"points": rules.cap}


def of_time(rules: Rules) -> Iterator[str]:
    yield _("A turn lasts %(seconds)s seconds.") % {"seconds": rules.turn_seconds}
    yield _("Extra time of each player in a deal: %(seconds)s seconds.") % {
        "seconds": rules.extra_seconds
    }
    yield _("To group one's cards after a declaration: %(seconds)s seconds.") % {
        "seconds": rules.meld_seconds
    }
    yield _(
        "A player who sends no groups in that time is still charged the least the cards can cost."
    )
    yield from words_of_pauses(rules)
    if rules.rejoin:
        yield _("To answer whether to rejoin: %(seconds)s seconds.") % {
            "seconds": rules.rejoin_seconds
        }
    if rules.split:
        yield _("To answer a split: %(seconds)s seconds.") % {"seconds": rules.split_seconds}
