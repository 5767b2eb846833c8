"""A deal: its state (`state.DealState`) with methods to play, view and score it."""

from __future__ import annotations

from rummy.notation.cards import format_cards
from rummy.notation.moves import Move, parse_move
from rummy.notation.rules import CARDS_DEALT, Rules
from rummy.notation.shuffle import Stream
from rummy.thirteen import endings, turns, views
from rummy.thirteen.endings import Outcome
from rummy.thirteen.state import DealState, Seat, full_deck
from rummy.thirteen.views import View


class Deal(DealState):
    """A deal with the cards of all players; clients get only a `View` of it.

    Instances are immutable: `apply` returns a new one.

    >>> from rummy.notation.profiles import PROFILES
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> print(deal)
    total-rummy-pool-101, playing, p1 to draw
    wild QS, open 7H, 78 cards in the stock
    p1 AC 2C 7C 4D 4D 7D 8D KD AH 4H 2S 6S 7S
    p2 AC 5C 7C QC 3D 7D TD TD KD 8H 7S 9S TS
    """

    def apply(self, move: Move | str) -> Deal:
        """Return the deal after a move, given as text or as `Move`; raise `IllegalMove`.

        >>> from rummy.notation.profiles import PROFILES
        >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
        >>> deal.apply("p1 drop").phase
        'ended'
        """
        return turns.apply(self, parse_move(move) if isinstance(move, str) else move)

    def legal_moves(self, position: int | None = None) -> tuple[Move, ...]:
        """Return the legal moves of a position; the default is all positions that may act.

        >>> from rummy.notation.profiles import PROFILES
        >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
        >>> [str(move) for move in deal.legal_moves()]
        ['p1 ds', 'p1 do', 'p1 drop']
        """
        if position is not None:
            return views.legal_moves(self, position)
        awaited = sorted(self.waiting) if self.to_act is None else [self.to_act]
        return tuple(move for at in awaited for move in views.legal_moves(self, at))

    def view(self, position: int | None) -> View:
        """Return what a position may see, or a spectator if it is None.

        >>> from rummy.notation.profiles import PROFILES
        >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
        >>> deal.view(2).hand == deal.seat(2).hand, deal.view(None).hand
        (True, ())
        """
        return views.view(self, position)

    def outcome(self) -> Outcome | None:
        """Return the results of all positions, or None before the end of the deal.

        >>> from rummy.notation.profiles import PROFILES
        >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
        >>> deal.outcome() is None, deal.apply("p1 drop").outcome().winner
        (True, 2)
        """
        return endings.outcome(self)

    def __str__(self) -> str:
        summary = self.phase if self.ending is None else f"{self.phase} by {self.ending}"
        if self.winner is not None:
            summary += f", won by p{self.winner}"
        if self.to_act is not None:
            summary += f", p{self.to_act} to {'discard or show' if self.drawn else 'draw'}"
        top = self.pile[-1] if self.pile else "-"
        lines = [
            f"{self.rules.name}, {summary}",
            f"wild {self.wild}, open {top}, {len(self.stock)} cards in the stock",
        ]
        for position, seat in enumerate(self.seats, start=1):
            note = "" if seat.is_active else f" ({seat.standing}, {seat.points})"
            lines.append(f"p{position} {format_cards(sorted(seat.hand))}{note}")
        return "\n".join(lines)


def start(rules: Rules, *, players: int, stream: Stream) -> Deal:
    """Shuffle, deal thirteen cards each, and turn up the open card and the wild card (RB 5.2).

    Position 1 plays first. `stream` must be the stream as the toss left it.

    >>> from rummy.notation.profiles import PROFILES
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> len(deal.stock), len(deal.pile), [len(seat.hand) for seat in deal.seats]
    (78, 1, [13, 13])
    """
    rules.refuse_players(players)
    deck, after = stream.shuffled(full_deck(rules, players))
    dealt = CARDS_DEALT * players
    seats = tuple(
        Seat(hand=deck[place:dealt:players], extra_ms=rules.extra_seconds * 1000)
        for place in range(players)
    )
    return Deal(
        rules=rules,
        wild=deck[dealt + 1],
        stock=deck[dealt + 2 :],
        pile=(deck[dealt],),
        seats=seats,
        stream=after,
    )
