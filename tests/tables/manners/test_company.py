"""The people of a player's last games, and invitations of one of them to a private table."""

from datetime import timedelta

import pytest
from django.urls import reverse

from players.eligibility import breaks
from players.eligibility.break_models import Break
from players.notifications.models import Notification
from players.notifications.texts import path_of, text_of
from tables.lobby import invitations
from tables.manners import actions
from tables.manners.company import recent_company
from tables.models.tables import Table
from tables.seats import seating
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.offers import make_template
from tests.builders.tables.playing import seat_at

pytestmark = pytest.mark.django_db


@pytest.fixture
def met():
    """Two people who played with each other."""
    table = make_game()
    return seat_at(table, 1).player, seat_at(table, 2).player


@pytest.fixture
def private(met):
    host, _ = met
    kind = make_template(seats_min=3, seats_max=3)
    return invitations.open_private_table(player=host, template_id=kind.pk)


def invite(client, host, table, guest):
    client.force_login(host)
    address = reverse("private-invite", args=[table.invite_code])
    return client.post(address, {"handle": guest.handle}, follow=True).text


def test_company_lists_people_of_begun_games_and_no_bots(met):
    player, other = met
    make_game(players=2)
    waiting = make_table(seats_min=3, seats_max=3)
    for person in (player, make_player()):
        seating.join(table_id=waiting.pk, player=person)
    game = make_table(seats_min=3, seats_max=3)
    latest, bot = make_player(), make_player(is_bot=True)
    for person in (player, latest, bot):
        seating.join(table_id=game.pk, player=person)

    company = recent_company(player)

    assert [(each.player, each.games) for each in company] == [(latest, 1), (other, 1)]


def test_invited_player_finds_the_table_by_the_notification(client, met, private):
    host, guest = met
    page = client.get(reverse("private-table", args=[private.invite_code])).text
    assert "People you played with" not in page

    for _ in range(2):
        shown = invite(client, host, private, guest)

    assert f"Invitation sent to {guest.handle}." in shown
    notification = Notification.objects.get()
    assert (notification.player, notification.mail) == (guest, "none")
    assert text_of(notification) == f"{host.handle} invites you to a private table."
    client.force_login(make_player())
    assert client.get(path_of(notification)).status_code == 404
    client.force_login(guest)
    assert (
        private.invite_code in client.get(path_of(notification), follow=True).request["PATH_INFO"]
    )


def test_only_a_players_latest_unread_invitation_is_kept(client, met, private):
    host, guest = met
    invite(client, host, private, guest)
    other = invitations.open_private_table(player=host, template_id=private.template_id)

    invite(client, host, other, guest)

    assert Notification.objects.get().about == other.public_id


@pytest.mark.parametrize("why", ["a stranger", "seated", "by a stranger", "public", "over"])
def test_refused_invitation_notifies_nobody(client, met, private, why):
    host, guest = met
    if why == "a stranger":
        guest = make_player()
    if why == "seated":
        seating.join(table_id=private.pk, player=guest, code=private.invite_code)
    if why == "by a stranger":
        host, guest = guest, host
    if why == "over":
        for person in (make_player(), make_player(), make_player()):
            seating.join(table_id=private.pk, player=person, code=private.invite_code)
    table = Table(invite_code="none") if why == "public" else private

    invite(client, host, table, guest)

    assert not Notification.objects.exists()


@pytest.mark.parametrize("why", ["blocked", "on a break"])
def test_invitation_that_is_kept_from_the_guest_is_shown_as_sent(client, met, private, why):
    host, guest = met
    before = invite(client, host, private, guest)
    Notification.objects.all().delete()
    if why == "blocked":
        actions.block(player=guest, blocked=host)
    else:
        breaks.take_break(player=guest, kind=Break.Kind.EXCLUSION, length=timedelta(days=365))

    after = invite(client, host, private, guest)

    assert f"Invitation sent to {guest.handle}." in before
    assert f"Invitation sent to {guest.handle}." in after
    invited = Notification.objects.filter(kind=Notification.Kind.TABLE_INVITATION)
    assert not invited.exists()
    assert [each.player for each in recent_company(host)] == [guest]
