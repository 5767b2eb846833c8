"""The page behind a private table's link: read without an account, and come back to afterwards."""

import re
from urllib.parse import quote

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from players.accounts.models import User
from tables.exceptions import GameNotOffered
from tables.games import opening
from tables.lobby import invitations
from tables.seats import seating
from tables.state.locks import lock_template
from tests.builders.people.accounts import PASSWORD, sign_up
from tests.builders.tables.making import make_player
from tests.builders.tables.offers import make_template

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_cache")]
KEPT = {"email": "new@example.com", "handle": "newcomer", "password": PASSWORD}


def invite(**kind):
    """Return a private table whose host has sat down, and its page's address."""
    host = make_player(handle="the_host")
    template = make_template(**kind)
    table = invitations.open_private_table(player=host, template_id=template.pk)
    if table.currency == "PTS":
        seating.join(table_id=table.pk, player=host, code=table.invite_code)
    return table, reverse("private-table", args=[table.invite_code])


def main_of(answer):
    return answer.text.split("<main")[1].split("</main>")[0]


def test_visitor_sees_the_game_its_stakes_the_host_and_the_seats(client):
    _table, here = invite(seats_max=3)

    page = main_of(client.get(here))

    for text in (
        "the_host invites you to play rummy",
        "Points add up from deal to deal.",
        "100 PTS",
        "270 PTS",
        "1 of 3 seats taken",
        "Play now as a guest",
        f'href="/accounts/signup/?next={here}"',
        f'href="/accounts/login/?next={here}"',
    ):
        assert text in page
    assert page.count('class="is-free"') == 2
    assert "QR code" not in page  # Only players send the link on.
    assert not User.objects.filter(is_guest=True).exists()


def test_visitor_sits_down_at_a_free_game_at_once_as_a_guest(client):
    table, here = invite()

    answer = client.post(here)

    guest = User.objects.get(is_guest=True)
    assert answer["Location"] == reverse("table", args=[table.public_id])
    assert table.seats.present().filter(player=guest).exists()
    assert client.get(answer["Location"]).status_code == 200
    # The game runs with two players: others are not invited any more, and get no account.
    late = Client()
    assert "The game has begun without you." in main_of(late.get(here))
    assert late.post(here)["Location"] == here
    assert User.objects.filter(is_guest=True).count() == 1


def test_refusal_is_shown_on_the_invitation(client):
    table, here = invite(seats_max=3)
    client.force_login(table.opened_by)

    answer = client.post(here, follow=True)

    assert answer.redirect_chain == [(here, 302)]
    assert "You already sit at this table." in answer.text


def test_invitation_to_a_game_for_money_shows_the_steps_before_it(client):
    kind = make_template(slug="cash", currency="INR")
    # The host's own eligibility is not the subject here.
    table = opening.open_of_kind(lock_template(kind.pk))
    table.invite_code, table.opened_by = "a-code-for-this-test", make_player()
    table.save(update_fields=["invite_code", "opened_by"])
    here = reverse("private-table", args=[table.invite_code])
    stranger = main_of(client.get(here))
    assert "Play now as a guest" not in stranger
    assert f'href="/accounts/signup/?next={here}"' in stranger
    assert client.post(here)["Location"] == here
    assert not User.objects.filter(is_guest=True).exists()

    client.force_login(User.objects.create_user(handle="guest_1", is_guest=True))

    back = quote(here, safe="")
    of_guest = main_of(client.get(here))
    assert f'href="{reverse("account-keep")}?next={back}"' in of_guest
    assert "Sit down" not in of_guest

    client.force_login(make_player(birth_date=None))
    of_player = main_of(client.get(here))
    assert f'href="{reverse("birth-date")}?next={back}"' in of_player
    assert "Sit down" not in of_player


def test_sign_up_and_confirmation_lead_back_to_the_invitation(client):
    _table, here = invite(seats_max=3)

    signed_up = sign_up(client, next=here)
    letter = next(letter for letter in mail.outbox if "confirm-email" in letter.body)
    link = re.search(r"/accounts/confirm-email/\S+", letter.body)[0]
    confirmed = client.post(link)

    assert signed_up["Location"] == here
    assert confirmed["Location"] == here
    assert "Sit down" in main_of(client.get(here))


@pytest.mark.parametrize(
    ("wanted", "leads_to"),
    [("/private/some-code/", "/private/some-code/"), ("https://evil.example/", "/lobby/")],
)
def test_kept_account_goes_back_to_pages_of_this_site_only(client, wanted, leads_to):
    client.force_login(User.objects.create_user(handle="guest_1", is_guest=True))
    form = client.get(reverse("account-keep"), {"next": wanted}).text
    assert ("evil" in form.split("<main")[1]) is False

    answer = client.post(reverse("account-keep"), KEPT | {"next": wanted})

    assert answer["Location"] == leads_to
    assert client.session.get("page_once_confirmed") in (None, leads_to)


def test_private_tables_are_offered_only_of_kinds_without_bots(client):
    make_template()
    practice = make_template(slug="practice", name="Practice duel", bots_fill=True, rake_bps=0)
    player = make_player()
    client.force_login(player)

    form = (
        client.get(reverse("private-open"))
        .text.split('id="kind" name="kind"')[1]
        .split("</select>")[0]
    )
    by_api = client.get("/api/v1/private-tables/").json()["results"]

    assert re.findall(r'value="([\w-]+)"', form) == ["duel"]
    assert [kind["kind"] for kind in by_api] == ["duel"]
    assert client.post(reverse("private-open"), {"kind": "practice"}).status_code == 404
    with pytest.raises(GameNotOffered):
        invitations.open_private_table(player=player, template_id=practice.pk)
