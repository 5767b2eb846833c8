"""The avatars: one drawing for each name, a default by account, and the player's choice."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.db import IntegrityError
from django.urls import reverse

from players.accounts.avatars import Avatar, avatar_of
from players.accounts.models import PlayerName, User
from tables.view.table_view import table_view
from tests.builders.tables.making import make_game, make_player
from wallet.audit.audit import row_findings

pytestmark = pytest.mark.django_db
SETTINGS = {"language": "en", "time_zone": "Asia/Kolkata"}


def test_every_avatar_has_a_small_drawing_and_a_text_of_its_own():
    drawings = {Path(finders.find(avatar.file)).read_text() for avatar in Avatar}

    assert len(drawings) == len({str(avatar.label) for avatar in Avatar}) == 24
    assert max(map(len, drawings)) < 1_000  # The lobby loads one, a table up to six.


def test_accounts_made_one_after_the_other_have_different_defaults():
    assert {avatar_of(player_id, "") for player_id in range(7, 7 + 24)} == set(Avatar)
    assert avatar_of(7, "lamp") == Avatar.LAMP


def test_chosen_avatar_is_shown_on_the_account_in_the_navigation_and_at_the_table(client):
    table = make_game(players=2)
    player = table.seats.first().player
    client.force_login(player)
    before = player.picture
    page = client.get(reverse("account")).text
    assert page.count('type="radio"') == 24
    assert re.search(rf'value="{before}"[^>]*checked', page)
    chosen = next(avatar for avatar in Avatar if avatar != before)

    client.post(reverse("account"), {**SETTINGS, "avatar": chosen.value})

    assert User.objects.get(pk=player.pk).picture == chosen
    assert PlayerName.objects.get(player=player).avatar == chosen.value
    picture = f'avatars/{chosen.value}.svg" alt="{chosen.label}"'
    assert picture in client.get(reverse("lobby")).text
    shown = {seat.handle: seat.avatar for seat in table_view(table, None).seats}
    assert shown[player.handle] == chosen.value
    assert row_findings() == ()


@pytest.mark.parametrize("sent", [{}, {"avatar": "<svg>"}])
def test_other_settings_leave_the_avatar_and_unknown_ones_are_refused(client, sent):
    player = make_player(avatar="kite")
    client.force_login(player)

    answer = client.post(reverse("account"), SETTINGS | {"language": "hi"} | sent)

    kept = User.objects.get(pk=player.pk)
    assert (answer.status_code, kept.language) == ((200, "en") if sent else (302, "hi"))
    assert kept.picture == Avatar.KITE


def test_database_refuses_an_unknown_avatar():
    with pytest.raises(IntegrityError):
        User.objects.filter(pk=make_player().pk).update(avatar="dragon")
