"""Which cards each seat was shown, to find them in what another seat is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from threading import Lock
from typing import Any

# So many cards of a hand of thirteen in one list are no accident.
TOO_MANY = 9
# The viewer's own cards, and those that lie open to everybody.
LAWFUL = frozenset({"me", "open_pile", "toss"})


class SeenHands:
    """Compares every view in play with the hands that others at the table were last sent."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self.note, self.lock = note, Lock()
        self.hands: dict[tuple[str, int], dict[int, Counter[str]]] = {}

    def look(self, view: dict[str, Any]) -> None:
        """Note "hidden cards" for a view that shows another's hand, and keep its own."""
        me, deal = view["me"], view["deal"]
        if not (me and deal and view["phase"] == "playing" and me["hand"]):
            return
        with self.lock:
            known = self.hands.setdefault((view["id"], deal["no"]), {})
            others = [hand for seat, hand in known.items() if seat != me["seat"]]
            known[me["seat"]] = Counter(me["hand"])
        if others:
            self.note("views compared")
        if any((cards & hand).total() >= TOO_MANY for cards in _lists(view) for hand in others):
            self.note("hidden cards")


def _lists(part: Any) -> Iterator[Counter[str]]:
    """Yield each list of texts in what may not hold another's cards, a text word by word."""
    if isinstance(part, dict):
        for name, value in part.items():
            if name not in LAWFUL:
                yield from _lists(value)
    elif isinstance(part, list):
        yield Counter(word for each in part if isinstance(each, str) for word in each.split())
        for each in part:
            yield from _lists(each)
    elif isinstance(part, str):
        yield Counter(part.split())
