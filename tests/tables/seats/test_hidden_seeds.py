"""RB 12.1: seats commit to their seeds before any is revealed, and withholding one wins nothing."""

import pytest
from django.db import DatabaseError, connection, transaction

from rummy.command_line.records import verify
from tables.exceptions import ClientSeedEarly, ClientSeedGiven, ClientSeedLate
from tables.history.deal_file import history_of, history_text
from tables.integrity import play_audit
from tables.models.deals import Deal
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.play.client_seeds import WITHHELD_MAX
from tables.seats import client_seeds, seating
from tables.state import clock
from tables.view.table_view import table_view
from tests.builders.tables.deals import drop_out, hidden
from tests.builders.tables.making import make_game, make_player, make_rules, make_table
from tests.builders.tables.playing import deal_at, reread
from wallet.audit.audit import BEGINNING, Finding

pytestmark = pytest.mark.django_db


def give(seat, text):
    return client_seeds.give_client_seed(seat_id=seat.pk, text=text)


def between(players=2, **rules):
    """A game in the pause before deal 2, and its seats in the order of sitting down."""
    table = make_game(players=players, rules=make_rules(gap_seconds=60, **rules))
    drop_out(table)
    return reread(table), list(table.seats.order_by("pk"))


def let_the_time_pass(table):
    due_at = reread(table).due_at
    clock.apply_overdue(table_id=table.pk, now=due_at)
    return reread(table)


def fairness_of(seat):
    return table_view(reread(seat.table), seat.player).fairness


def file_of(deal):
    return history_text(Deal.objects.revealed().get(pk=deal.pk))


def test_seeds_are_revealed_within_the_pause_once_all_are_committed_to():
    table, (one, two) = between()
    give(one, hidden("mine"))
    with pytest.raises(ClientSeedEarly):
        give(one, "mine")
    assert [fairness_of(seat).must_reveal for seat in (one, two)] == [False, False]

    give(two, hidden("yours"))
    seen = fairness_of(two)
    give(two, "yours")
    with pytest.raises(ClientSeedGiven):
        give(one, "another")
    give(one, "mine")

    assert (seen.must_reveal, seen.my_client_seed, seen.can_add) == (True, None, False)
    assert reread(table).phase == Table.Phase.BETWEEN
    table = let_the_time_pass(table)
    assert (table.phase, table.deal_no) == (Table.Phase.PLAYING, 2)
    assert history_of(Deal.objects.revealed().get(pk=drop_out(table).pk)).client_seeds == (
        "mine",
        "yours",
    )


def test_the_last_seat_closes_the_seeds_and_the_last_reveal_deals():
    table = make_table(seats_min=2, seats_max=2)
    one = seating.join(table_id=table.pk, player=make_player(), client_seed=hidden("mine"))

    two = seating.join(table_id=table.pk, player=make_player(), client_seed=hidden("yours"))

    assert reread(table).phase == Table.Phase.WAITING
    give(one, "mine")
    assert reread(table).phase == Table.Phase.WAITING
    give(two, "yours")
    assert deal_at(table).status == Deal.Status.PLAYING
    assert 'client seed: "yours"' in file_of(drop_out(table))


def test_a_seat_that_does_not_commit_delays_nothing():
    table, (one, two) = between()
    give(one, hidden("mine"))

    table = let_the_time_pass(table)
    assert fairness_of(one).must_reveal
    with pytest.raises(ClientSeedLate):
        give(two, hidden("too late"))
    give(one, "mine")

    assert reread(table).phase == Table.Phase.PLAYING


def test_a_withheld_seed_draws_again_from_another_commitment_and_counts(tmp_path):
    table, (one, two) = between()
    coming = table.deals.get(no=2)
    give(one, hidden("mine"))
    give(two, hidden("yours"))
    give(one, "mine")

    table = let_the_time_pass(table)
    again = table.deals.get(no=2)
    assert again.commitment != coming.commitment
    assert (again.redrawn, again.draw) == (coming.commitment, 1)
    assert fairness_of(one).can_add
    give(one, hidden("new"))
    table = let_the_time_pass(table)
    give(one, "new")

    counted = Seat.objects.filter(table=table).order_by("pk").values_list("pk", "seeds_withheld")
    assert dict(counted) == {one.pk: 0, two.pk: 1}
    text = file_of(drop_out(table))
    assert f"redrawn: {coming.commitment}" in text
    assert f"# drawn again, seeds withheld by {two.player.handle}" in text
    assert 'client seed: "new"' in text
    assert "mine" not in text
    paths = [tmp_path / f"{no}.txt" for no in (1, 2)]
    for no, path in enumerate(paths, start=1):
        path.write_text(file_of(table.deals.get(no=no)))
    assert verify({"files": [str(path) for path in paths]})["chains"] == 1
    found = [each for each in play_audit.findings(BEGINNING) if isinstance(each, Finding)]
    assert found == []


def test_who_withholds_twice_in_a_game_is_dealt_in_without_a_seed():
    table, (_, two) = between()
    for attempt in range(WITHHELD_MAX):
        give(two, hidden(f"attempt {attempt}"))
        table = let_the_time_pass(let_the_time_pass(table))

    assert not fairness_of(two).can_add
    with pytest.raises(ClientSeedLate):
        give(two, hidden("once more"))
    table = let_the_time_pass(table)
    assert table.phase == Table.Phase.PLAYING
    assert not deal_at(table).texts_of([two.pk])


def test_leaving_after_the_seeds_are_closed_draws_again():
    table, seats = between(players=3)
    for number, seat in enumerate(seats):
        give(seat, hidden(f"seed {number}"))
    give(seats[0], "seed 0")
    before = table.deals.get(no=2).commitment

    seating.leave(seat_id=seats[2].pk)

    deal = table.deals.get(no=2)
    assert (deal.redrawn, deal.closed_at) == (before, None)
    assert not Seat.objects.filter(table=table, seeds_withheld__gt=0).exists()


@pytest.mark.parametrize(
    "change",
    [
        "commitment = repeat('0', 64)",
        "commitment = repeat('0', 64), redrawn = repeat('1', 64)",
        "chain = repeat('0', 64)",
    ],
)
def test_database_refuses_another_commitment_that_is_not_listed(change, owner):
    table, _ = between()

    with (
        pytest.raises(DatabaseError),
        owner(),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(f"UPDATE tables_deal SET {change} WHERE table_id = {table.pk}")


def test_database_refuses_a_seed_that_was_not_committed_to():
    table, (one, two) = between()
    give(one, hidden("mine"))
    give(two, hidden("yours"))
    row = table.deals.get(no=2).client_seeds.get(seat=one)

    row.text = "another"
    with pytest.raises(DatabaseError, match="only the seed committed to"), transaction.atomic():
        row.save(update_fields=["text"])
