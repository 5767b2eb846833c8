"""RB 12.1: a running hash binds every move, in views, files and the next commitment."""

from pathlib import Path

import pytest

import rummy
from rummy.command_line.records import verify
from tables.history.deal_file import history_of, history_text
from tables.models.deals import Deal, Move
from tables.view.table_view import table_view
from tests.builders.tables.deals import drop_out, take_turn
from tests.builders.tables.making import make_game, make_player, make_rules
from tests.builders.tables.playing import deal_at, reread, seat_at

pytestmark = pytest.mark.django_db


def revealed(deal):
    return Deal.objects.revealed().get(pk=deal.pk)


def files_of(table, tmp_path, *, heads=()):
    paths = []
    for deal in Deal.objects.revealed().filter(table=table).order_by("no"):
        paths.append(tmp_path / f"deal-{deal.no}.txt")
        paths[-1].write_text(history_text(deal), encoding="utf-8")
    seen = tmp_path / "seen.txt"
    lines = [f"{table.public_id} {no} {ply} {head}" for no, ply, head in heads]
    seen.write_text("\n".join(["rummy heads 1", *lines]))
    return [str(path) for path in (*paths, seen)[: len(paths) + bool(heads)]]


def test_every_viewer_sees_the_head_of_every_move_and_the_file_has_the_same(game_of_three):
    table = game_of_three
    viewers = [None, make_player(), *(seat_at(table, at).player for at in (1, 2, 3))]
    shown = []
    while len(shown) < 4:
        views = [table_view(reread(table), viewer) for viewer in viewers]
        (seen,) = {(view.deal.ply, view.deal.head) for view in views}
        shown.append(seen)
        take_turn(table)
        made = Move.objects.filter(deal=deal_at(table)).latest("ply")
        answer = table_view(reread(table), viewers[2], at=made)
        assert answer.deal.head == table_view(reread(table), None).deal.head != seen[1]
    deal = revealed(drop_out(table))

    heads = history_of(deal).heads

    assert [heads[ply] for ply, _ in shown] == [head for _, head in shown]
    assert deal.reveal.head == history_of(deal).last_head


def test_no_head_can_be_computed_from_what_viewers_know():
    """Without the seed, equal moves of two equal deals have unlike heads."""
    tables = [make_game(players=2), make_game(players=2)]
    heads = [table_view(reread(table), None).deal.head for table in tables]

    deal = deal_at(tables[0])
    guess = rummy.first_head(
        bytes(32), chain=deal.chain, players=2, toss=deal.toss, client_seeds=()
    )

    assert len({*heads, guess}) == 3


def test_a_tables_files_form_one_chain_with_the_heads_seen(tmp_path):
    table = make_game(players=3, rules=make_rules(gap_seconds=0))
    heads = [(1, 0, table_view(reread(table), None).deal.head)]
    drop_out(table)
    heads.append((2, 0, table_view(reread(table), None).deal.head))
    drop_out(table)
    paths = files_of(table, tmp_path, heads=heads)

    answer = verify({"files": paths})
    other = rummy.history.loads(Path(paths[1]).read_text()).heads[-1]
    (tmp_path / "seen.txt").write_text(f"rummy heads 1\n{table.public_id} 2 0 {other}\n")

    assert (answer["deals"], answer["chains"], answer["chains_from_deal_1"]) == (2, 1, 1)
    assert answer["heads_compared"] == 2
    with pytest.raises(rummy.HistoryError, match=r"'first head: .*is not what the browser saw"):
        verify({"files": paths})


def test_the_next_commitment_is_chained_to_the_moves_of_the_deal_before():
    table = make_game(players=3, rules=make_rules(gap_seconds=60))
    first = revealed(drop_out(table))

    view = table_view(reread(table), None)

    following = table.deals.get(no=2)
    assert view.fairness.chain == following.chain
    assert following.chain == rummy.chained(view.next_commitment, first.chain, first.reveal.head)
