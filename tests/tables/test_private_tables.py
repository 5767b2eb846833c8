"""Private tables: found by their link, by nobody else."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from tables.exceptions import NotInvited, TooManyTables
from tables.models import Table, TableTemplate
from tables.services import invitations, lobby, profiles, seating
from tests.tables.builders import make_player, make_rules, reread
from wallet.services import audit

pytestmark = pytest.mark.django_db


@pytest.fixture
def kind():
    return TableTemplate.objects.create(
        slug="duel",
        name="Duel",
        profile=profiles.register_profile(make_rules()),
        seats_max=2,
        entry_minor=100_00,
    )


@pytest.fixture
def host(client):
    host = make_player()
    client.force_login(host)
    return host


def open_one(kind, player):
    return invitations.open_private_table(player=player, template_id=kind.pk)


def test_only_who_has_the_code_sits_down(kind, host):
    table = open_one(kind, host)

    for wrong in ("", "guess"):
        with pytest.raises(NotInvited):
            seating.join(table_id=table.pk, player=make_player(), code=wrong)
    seating.join(table_id=table.pk, player=host, code=table.invite_code)
    seating.join(table_id=table.pk, player=make_player(), code=table.invite_code)

    assert reread(table).phase == Table.Phase.PLAYING
    assert audit.audit().is_clean


def test_the_lobby_neither_shows_it_nor_counts_it(client, kind, host):
    open_one(kind, host)

    lobby.keep_lobby_stocked()

    assert Table.objects.joinable().count() == 1
    assert Table.objects.waiting().count() == 2
    assert client.get(reverse("lobby")).text.count('id="join-') == 1


def test_a_page_opens_one_gives_the_link_and_seats_a_guest(client, kind, host):
    opened = client.post(reverse("private-open"), {"kind": "duel"}, follow=True)
    table = Table.objects.get(opened_by=host)
    assert table.invite_code in opened.text
    code = {"code": table.invite_code}
    client.post(reverse("table-join", args=[table.public_id]), code)
    assert "Here already" in client.get(reverse("private-table", args=[table.invite_code])).text

    client.force_login(make_player())
    assert "Sit down" in client.get(reverse("private-table", args=[table.invite_code])).text
    answer = client.post(reverse("table-join", args=[table.public_id]), code)

    assert answer.url == reverse("table", args=[table.public_id])
    assert client.get(reverse("private-table", args=["nonsense"])).status_code == 404


def test_three_at_a_time_are_enough(kind, host):
    for _ in range(invitations.OPEN_AT_ONCE):
        open_one(kind, host)

    with pytest.raises(TooManyTables):
        open_one(kind, host)


def test_a_forgotten_one_is_closed_and_a_used_one_is_not(kind, host):
    forgotten, used = open_one(kind, host), open_one(kind, host)
    seating.join(table_id=used.pk, player=host, code=used.invite_code)
    Table.objects.update(created_at=timezone.now() - timedelta(hours=2))

    assert invitations.close_forgotten(timezone.now()) == 1
    assert invitations.close_forgotten(timezone.now()) == 0

    assert reread(forgotten).phase == Table.Phase.CANCELLED
    assert reread(used).phase == Table.Phase.WAITING
