"""Every state of small pools is visited; what breaks an invariant is found with its acts."""

import pytest

from tests.model import acts, money, table
from tests.model.explorer import Broken, explore
from tests.model.runs import LARGE, MOST, SMALL
from tests.model.state import Terms, with_seat

TINY = Terms(limit=3, cap=2, points=(1, 2), turns=2, misses=1, toss=False, faults=0, rulings=0)


@pytest.mark.parametrize("name", SMALL)
def test_every_interleaving_of_a_small_pool_keeps_the_money_and_ends(name):
    found = explore(SMALL[name])

    assert found.is_whole
    assert found.finals.keys() == {"finished", "cancelled"}
    assert len(found.numbers) > 20_000


@pytest.mark.soak
def test_two_million_states_of_pools_keep_the_money_and_end():
    found = {name: explore(terms, most=MOST.get(name)) for name, terms in LARGE.items()}

    print({name: f"{len(each.numbers):,} states" for name, each in found.items()})  # noqa: T201
    assert all(each.is_whole or name in MOST for name, each in found.items())
    assert sum(len(each.numbers) for each in found.values()) >= 2_000_000


def lose_a_paisa(terms, state, heads):
    state = FINISH(terms, state, heads)
    return state._replace(purses=(state.purses[0] - 1, *state.purses[1:]))


def send_nothing(state, message):
    return state


def join_twice(terms, state, no):
    seat = state.seats[no]
    state = money.take_entry(terms, with_seat(state, no, here=True, sat=seat.sat + 1), no)
    return table._start(terms, state) if len(state.here()) == terms.seats_max else state


FINISH = money.finish


@pytest.mark.parametrize(
    ("module", "name", "fault", "found"),
    [
        (money, "finish", lose_a_paisa, "money"),
        (table, "_send", send_nothing, "the game never ends"),
        (table, "join", join_twice, "acts twice"),
    ],
)
def test_fault_of_the_model_is_found_with_the_acts_that_lead_to_it(
    monkeypatch, module, name, fault, found
):
    monkeypatch.setattr(module, name, fault)
    monkeypatch.setitem(acts._ACTS, name, fault)

    with pytest.raises(Broken, match=f"(?s){found}.*after"):
        explore(TINY)
