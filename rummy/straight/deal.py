"""A deal: its state (`state.DealState`) with methods to play, view and score it."""

from __future__ import annotations

from rummy.notation.cards import format_cards, pack
from rummy.notation.moves import Move, parse_move
from rummy.notation.shuffle import Stream
from rummy.straight import endings, turns, views
from rummy.straight.endings import Outcome
from rummy.straight.rules import StraightRules
from rummy.straight.state import DealState, Seat
from rummy.straight.views import View


class Deal(DealState):
    """A deal with the cards of all players; clients get only a `View` of it.

    Instances are immutable: `apply` returns a new one.

    >>> from rummy.straight.rules import STRAIGHT
    >>> print(start(STRAIGHT, players=3, stream=Stream(bytes(32))))
    straight, playing, p1 to draw
    open 6S, 30 cards in the stock
    p1 QC 5D 6D 7D 9D JS QS
    p2 AC 3C TH QH 3S 7S KS
    p3 5C 3D 4D QD 5H 7H 4S
    """

    def apply(self, move: Move | str) -> Deal:
        """Return the deal after a move, given as text or as `Move`; raise `IllegalMove`.

        >>> from rummy.straight.rules import STRAIGHT
        >>> deal = start(STRAIGHT, players=3, stream=Stream(bytes(32)))
        >>> deal.apply("p1 ds").drawn == deal.stock[0]
        True
        """
        return turns.apply(self, parse_move(move) if isinstance(move, str) else move)

    def legal_moves(self, position: int | None = None) -> tuple[Move, ...]:
        """Return the legal moves of a position; the default is the position to act.

        >>> from rummy.straight.rules import STRAIGHT
        >>> deal = start(STRAIGHT, players=3, stream=Stream(bytes(32)))
        >>> [str(move) for move in deal.legal_moves()]
        ['p1 ds', 'p1 do']
        """
        at = self.to_act if position is None else position
        return () if at is None else turns.legal_moves(self, at)

    def view(self, position: int | None) -> View:
        """Return what a position may see, or a spectator if it is None.

        >>> from rummy.straight.rules import STRAIGHT
        >>> deal = start(STRAIGHT, players=3, stream=Stream(bytes(32)))
        >>> deal.view(2).hand == deal.seat(2).hand, deal.view(None).hand
        (True, ())
        """
        return views.view(self, position)

    def outcome(self) -> Outcome | None:
        """Return the results of all positions, or None before the end of the deal.

        >>> from rummy.straight.rules import STRAIGHT
        >>> start(STRAIGHT, players=3, stream=Stream(bytes(32))).outcome() is None
        True
        """
        return endings.outcome(self)

    def __str__(self) -> str:
        summary = self.phase if self.ending is None else f"{self.phase} by {self.ending}"
        if self.winner is not None:
            summary += f", won by p{self.winner}"
        if self.to_act is not None:
            summary += f", p{self.to_act} to {'discard' if self.drawn else 'draw'}"
        top = self.pile[-1] if self.pile else "-"
        lines = [
            f"{self.rules.name}, {summary}",
            f"open {top}, {len(self.stock)} cards in the stock",
        ]
        lines += [f"meld {no} {format_cards(m.cards)}" for no, m in enumerate(self.melds, start=1)]
        for position, seat in enumerate(self.seats, start=1):
            note = "" if seat.is_active else f" ({seat.standing})"
            lines.append(f"p{position} {format_cards(sorted(seat.hand))}{note}")
        return "\n".join(lines)


def start(rules: StraightRules, *, players: int, stream: Stream) -> Deal:
    """Shuffle a pack, deal one card at a time from position 1, and turn up a card (RB 9.1).

    >>> from rummy.straight.rules import STRAIGHT
    >>> deal = start(STRAIGHT, players=3, stream=Stream(bytes(32)))
    >>> len(deal.stock), len(deal.pile), [len(seat.hand) for seat in deal.seats]
    (30, 1, [7, 7, 7])
    """
    rules.refuse_players(players)
    deck, after = stream.shuffled(pack())
    dealt = rules.cards_for(players) * players
    seats = tuple(
        Seat(hand=deck[place:dealt:players], extra_ms=rules.extra_seconds * 1000)
        for place in range(players)
    )
    return Deal(
        rules=rules, stock=deck[dealt + 1 :], pile=(deck[dealt],), seats=seats, stream=after
    )
