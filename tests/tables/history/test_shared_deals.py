"""Deals made public by a link: no names, times, amounts and hashes, until withdrawn."""

from __future__ import annotations

import io
import json
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from PIL import Image

from tables.accounts.closure import close_account
from tables.accounts.own_data import own_data
from tables.history.sharing import actions
from tables.history.sharing.actions import share_deal
from tables.history.sharing.models import SharedDeal
from tables.models.deals import Deal
from tables.models.tables import Table
from tables.play import answering
from tables.seats import seating
from tables.view import open_hands
from tests.builders.tables.deals import best_of, drop_out, settle
from tests.builders.tables.every_phase import play_to_a_show
from tests.builders.tables.making import make_game, make_player, make_rules
from tests.builders.tables.playing import deal_at, move, reread, seat_at
from tests.builders.tables.points_tables import make_points_game
from tests.builders.tables.pools import let_time_pass
from tests.builders.tables.straight_tables import make_straight_game

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_cache")]

GAMES = {
    "pool": lambda: make_game(players=3, rules=make_rules(gap_seconds=60)),
    "deals": lambda: make_game(players=2, rules=best_of(3, gap_seconds=60)),
    "points": lambda: make_points_game(players=2),
    "straight": lambda: make_straight_game(2, gap_seconds=60),
}


def played(kind):
    """Return the settled first deal of a game of this kind."""
    table = GAMES[kind]()
    if kind == "straight":
        seating.leave(seat_id=seat_at(table, 1).pk)
    elif kind == "deals":
        play_to_a_show(table)
        let_time_pass(table)
    else:
        position = 1
        while reread(table).phase == Table.Phase.PLAYING:
            move(table, position, "drop")
            position += 1
    settle(table)
    return Deal.objects.select_related("table__profile", "reveal").get(table=table, no=1)


def share(deal, position=1, *, shows_name=False):
    player = seat_at(deal.table, position).player
    return share_deal(player=player, deal=deal, shows_name=shows_name)


def address(shared, *more):
    return "/".join([f"/shared/{shared.code}", *map(str, more), ""])


@pytest.mark.parametrize("kind", GAMES)
def test_public_page_contains_nothing_that_identifies_table_or_players(kind, client):
    deal = played(kind)
    table, shared = deal.table, share(deal)
    players = [place.seat.player for place in deal.deal_seats.select_related("seat__player")]

    answer = client.get(address(shared))

    shown = answer.text
    secret = [str(table.public_id), str(table.public_id)[-6:], str(deal.public_id), table.name]
    secret += [deal.commitment, deal.chain, deal.reveal.server_seed, deal.reveal.head]
    secret += [str(deal.started_at.year), f"{deal.started_at:%H:%M}", "PTS"]
    secret += [str(seed.text) for seed in deal.client_seeds.all()]
    secret += [player.handle for player in players]
    assert [text for text in secret if text and text in shown] == []
    assert all(f"Player {number}" in shown for number in range(1, len(players) + 1))
    assert json.loads(re.search(r'id="deal"[^>]*>(.*?)</script>', shown)[1])["seats"]
    named = client.get(address(share(deal, shows_name=True))).text
    own, *others = players
    assert own.handle in named
    assert not any(other.handle in named for other in others)
    assert client.get(address(shared, 1)).status_code == 200
    assert client.get(address(shared, 999)).status_code == 404


def test_public_link_has_a_preview_and_is_not_indexed(client):
    shared = share(played("deals"))

    page, picture = client.get(address(shared)), client.get(f"{address(shared)}picture.png")

    assert (
        f'property="og:image" content="http://testserver{address(shared)}picture.png"' in page.text
    )
    assert 'property="og:title" content="A deal of rummy: ' in page.text
    assert '<meta name="robots" content="noindex, nofollow">' in page.text
    assert page["X-Robots-Tag"] == picture["X-Robots-Tag"] == "noindex, nofollow"
    assert (page["Cache-Control"], picture["Cache-Control"]) == (
        "private, no-store",
        "public, max-age=3600",
    )
    image = Image.open(io.BytesIO(picture.content))
    assert (image.format, image.size, picture["Content-Type"]) == ("PNG", (1200, 630), "image/png")
    assert len(image.getcolors(256)) > 20
    assert image.info == {}, "no metadata"


def test_player_makes_and_withdraws_a_link(client):
    deal = played("pool")
    mine, other = seat_at(deal.table, 1).player, seat_at(deal.table, 2).player
    page = reverse("share-deal", args=[deal.table.public_id, 1])
    client.force_login(mine)

    for _ in range(2):
        client.post(page, {"shows_name": "on"})
    shared = SharedDeal.objects.get()

    assert (shared.seat.player, shared.shows_name) == (mine, True)
    assert len(shared.code) >= 22
    assert shared.code in client.get(page).text
    assert shared.code in client.get(reverse("shared-deals")).text
    rival, visitor = Client(), Client()
    rival.force_login(other)
    rival.post(reverse("shared-deals"), {"code": shared.code})
    assert visitor.get(address(shared)).status_code == 200
    assert own_data(mine)["shared_deals"][0]["code"] == shared.code
    client.post(reverse("shared-deals"), {"code": shared.code})
    for path in (address(shared), f"{address(shared)}picture.png", address(shared, 1)):
        assert visitor.get(path).status_code == 404
    assert share(deal).code != shared.code
    again = share(deal, 2)
    assert actions.withdraw_links(other) == 1
    assert visitor.get(address(again)).status_code == 404


def test_closing_the_account_withdraws_its_links(client):
    deal = played("pool")
    table = reread(deal.table)
    while not (table := reread(table)).is_over:
        let_time_pass(table)
        drop_out(table)
    shared = share(Deal.objects.select_related("table__profile").get(pk=deal.pk))

    close_account(player_id=shared.seat.player_id)

    assert client.get(address(shared)).status_code == 404


def test_only_players_of_a_deal_can_share_it_and_for_money_after_the_game(client, monkeypatch):
    deal, points = played("pool"), played("points")
    page = reverse("share-deal", args=[deal.table.public_id, 1])
    assert client.get(page).status_code == 302
    client.force_login(make_player())
    assert client.get(page).status_code == client.post(page).status_code == 404
    with pytest.raises(actions.DealNotShareable):
        share_deal(player=make_player(), deal=deal, shows_name=False)

    monkeypatch.setattr(actions, "PLAY_POINTS", "none")
    client.force_login(seat_at(deal.table, 1).player)
    assert "when the game is over" in client.get(page).text
    assert "when the game is over" in client.post(page, follow=True).text
    with pytest.raises(actions.DealNotShareable, match="one hour"):
        share(points)
    assert not SharedDeal.objects.exists()
    points.settled_at -= timedelta(hours=1)
    assert share(points)
    deal.table.phase = Table.Phase.FINISHED
    assert share(deal)


def test_spectators_replay_the_last_deal_if_they_may_see_its_hands(client, monkeypatch):
    deal = played("deals")
    table, handle = deal.table, seat_at(deal.table, 2).player.handle
    page = f"/tables/{table.public_id}/deals/1/"

    shown = client.get(page)

    assert handle in shown.text
    assert deal.reveal.server_seed not in shown.text
    assert shown["X-Robots-Tag"] == "noindex, nofollow"
    assert client.get(f"/tables/{table.public_id}/deals/2/").status_code == 404
    Table.objects.filter(pk=table.pk).update(invite_code="a-code")
    assert client.get(page).status_code == 302
    Table.objects.filter(pk=table.pk).update(invite_code="")
    monkeypatch.setattr(open_hands, "PLAY_POINTS", "none")
    assert client.get(page).status_code == 404
    for seat in table.seats.all():
        answering.show_hands(seat_id=seat.pk, agrees=True)
    assert client.get(page).status_code == 404, "they agreed after the deal"
    table.seats.update(shows_hands_from=1)
    assert client.get(page).status_code == 200
    let_time_pass(reread(table))
    assert deal_at(table).no == 2
    assert client.get(page).status_code == 200, "a deal later"
    assert client.get(f"/tables/{table.public_id}/deals/2/").status_code == 404, "being played"
