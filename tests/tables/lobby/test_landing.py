"""The first page: a public game as spectators see it, or a winning hand."""

import re

import pytest
from django.urls import reverse

import rummy
from tables.models.tables import Table
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import hand_of, seat_at

pytestmark = pytest.mark.django_db


def felt(page):
    """Return the live table's text, and the cards in it."""
    shown = page.text.split('class="live-table"')[1].split("</figure>")[0]
    return shown, re.findall(r'class="meld-row" role="img" aria-label="([^"]+)"', shown)


def test_visitors_see_a_public_game_without_any_hand(client, owner):
    table = make_game(players=2)
    handles = [seat_at(table, position).player.handle for position in (1, 2)]

    shown, cards = felt(client.get(reverse("landing")))
    part = client.get(reverse("landing"), headers={"HX-Request": "true"})

    assert all(handle in shown for handle in handles)
    assert 'class="to-act"' in shown
    assert len(cards) == 2  # The wild card and the top of the open pile.
    hidden = set(hand_of(table, 1)) | set(hand_of(table, 2))
    assert not any(f'aria-label="{card}"' in shown for card in hidden - set(cards))
    assert part.text.lstrip().startswith("<figure")
    with owner():
        Table.objects.update(invite_code="a-private-code")
    assert not any(handle in felt(client.get("/"))[0] for handle in handles)


def test_without_a_game_visitors_see_a_hand_that_wins(client):
    _shown, [hand] = felt(client.get(reverse("landing")))

    rules = rummy.PROFILES["total-rummy-pool-101"]

    assert rummy.check_declaration(hand.split("|"), wild="2D", rules=rules).valid


def test_first_page_leads_to_playing_learning_fairness_and_limits(client):
    page = client.get(reverse("landing")).text

    for name in ("play-now", "account_signup", "how-to-play", "verify", "responsible-play"):
        assert f'="{reverse(name)}"' in page
