"""The money of the modelled pool: every act moves it between purses, escrow and rake (RB 7)."""

from __future__ import annotations

from collections.abc import Sequence

from tests.model.state import Refused, State, Terms, with_seat, with_seats


def take_entry(terms: Terms, state: State, no: int) -> State:
    """Move an entry into the escrow, the rake with it until the game settles (RB 7.5)."""
    if state.purses[no] < terms.entry:
        raise Refused("insufficient_funds")
    state = with_seat(state, no, paid=state.seats[no].paid + 1)
    return _paid(state, {no: -terms.entry})


def return_entry(terms: Terms, state: State, no: int) -> State:
    entries = state.seats[no].paid
    return _paid(with_seat(state, no, paid=0), {no: entries * terms.entry})


def equal(whole: int, among: Sequence[int]) -> dict[int, int]:
    """Share equally; odd paise go one each to the earlier seats (RB 7.6, 7.7)."""
    part, odd = divmod(whole, len(among))
    return {no: part + (place < odd) for place, no in enumerate(sorted(among))}


def finish(terms: Terms, state: State, heads: Sequence[int]) -> State:
    """Pay the prize to the last survivor, or share it among them (RB 7.6)."""
    return settle(terms, state, equal(_entries(state) * terms.net, heads))


def settle(terms: Terms, state: State, shares: dict[int, int]) -> State:
    """Pay these shares; the rake becomes revenue only now (RB 7.5)."""
    entries = _entries(state)
    assert sum(shares.values()) == entries * terms.net, "the shares are the prize (RB 7.5)"
    assert min(shares.values()) >= 0
    return _closed(_paid(state, shares, rake=entries * terms.rake), "finished")


def cancel(terms: Terms, state: State, survivors: Sequence[int]) -> State:
    """Refund every entry, or after a scored deal share all but the rake of lost ones (RB 7.7)."""
    if not state.scored:
        for no, seat in enumerate(state.seats):
            if seat.paid:
                state = return_entry(terms, state, no)
        return _closed(state, "cancelled")
    rake = sum(seat.lost for seat in state.seats) * terms.rake
    shares = equal(_entries(state) * terms.entry - rake, survivors)
    return _closed(_paid(state, shares, rake=rake), "cancelled")


def split_shares(terms: Terms, state: State) -> dict[int, int] | None:
    """Return the shares of a split at the present totals, or None without one (RB 7.4)."""
    among = state.active()
    started = state.starters
    fits = len(among) in (2, 3) if started > 3 else (started, len(among)) == (3, 2)
    drops = {no: terms.drops_left(state.seats[no].total) for no in among}
    if not fits or not (terms.split or (terms.auto_split and is_auto(terms, state))):
        return None
    prize, least = _entries(state) * terms.net, min(drops.values())
    shares = {no: (drops[no] - least) * terms.net for no in among}
    rest = prize - sum(shares.values())
    if rest < terms.net:
        return None
    part, odd = divmod(rest, len(among))
    lowest_first = sorted(among, key=lambda no: (state.seats[no].total, no))
    for place, no in enumerate(lowest_first):
        shares[no] += part + (place < odd)
    return shares


def is_auto(terms: Terms, state: State) -> bool:
    """Return whether nobody left has a drop: then the split needs no question (RB 7.4)."""
    return all(terms.drops_left(state.seats[no].total) == 0 for no in state.active())


def _entries(state: State) -> int:
    return sum(seat.paid for seat in state.seats)


def _paid(state: State, amounts: dict[int, int], *, rake: int = 0) -> State:
    purses = [held + amounts.get(no, 0) for no, held in enumerate(state.purses)]
    left = state.escrow - sum(amounts.values()) - rake
    return state._replace(purses=tuple(purses), escrow=left, rake=state.rake + rake)


def _closed(state: State, phase: str) -> State:
    """End the game: no window, no clock, no step; messages that are under way have no effect."""
    state = with_seats(state, asked=False, said="", proposed=False, dealt=False, points=-1)
    state = with_seats(state, lowest=False, drew=False, missed=0)
    return state._replace(
        phase=phase,
        due=False,
        ruling="",
        sharers=(),
        is_expired=False,
        offer=-1,
        turn=-1,
        holds=False,
    )
