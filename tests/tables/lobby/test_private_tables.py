"""Private tables can only be found by their link."""

import re
from datetime import timedelta
from functools import partial
from html import unescape
from urllib.parse import parse_qs, quote, urlsplit

import pytest
import segno
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from players.accounts.models import User
from players.eligibility.break_models import Break
from players.eligibility.breaks import take_break
from players.exceptions import SelfExcluded
from tables.exceptions import GameNotOffered, NotInvited
from tables.games import opening
from tables.lobby import invitations
from tables.models.tables import Table
from tables.seats import seating
from tables.state.locks import lock_template
from tests.builders.people.accounts import PASSWORD, sign_up
from tests.builders.processes.threads import at_once
from tests.builders.tables.making import make_player
from tests.builders.tables.offers import make_template
from tests.builders.tables.playing import reread
from wallet.audit.audit import row_findings

pytestmark = pytest.mark.django_db

PRIVATE, JSON = "/api/v1/private-tables/", "application/json"


@pytest.fixture
def kind():
    return make_template()


@pytest.fixture
def host(client):
    host = make_player()
    client.force_login(host)
    return host


def open_one(kind, player):
    return invitations.open_private_table(player=player, template_id=kind.pk)


def test_private_table_is_not_listed_and_admits_only_players_with_the_code(client, kind, host):
    table = open_one(kind, host)
    opening.keep_lobby_stocked()
    assert (Table.objects.joinable().count(), Table.objects.waiting().count()) == (1, 2)
    assert client.get(reverse("lobby")).text.count('id="join-') == 1

    for wrong in ("", "guess"):
        with pytest.raises(NotInvited):
            seating.join(table_id=table.pk, player=make_player(), code=wrong)
    for player in (host, make_player()):
        seating.join(table_id=table.pk, player=player, code=table.invite_code)

    assert reread(table).phase == Table.Phase.PLAYING
    assert row_findings() == ()


@pytest.mark.django_db(transaction=True)
def test_concurrent_requests_open_no_more_than_three_tables(kind):
    other = make_template(slug="other")
    host = make_player()
    for _ in range(invitations.OPEN_AT_ONCE - 1):
        open_one(kind, host)

    answers = at_once([partial(open_one, kind, host), partial(open_one, other, host)] * 2)

    assert sorted(type(answer).__name__ for answer in answers) == ["Table", *["TooManyTables"] * 3]
    assert Table.objects.filter(opened_by=host).count() == invitations.OPEN_AT_ONCE


def test_excluded_player_cannot_open_a_private_table(client, kind, host):
    take_break(player=host, kind=Break.Kind.EXCLUSION, length=None)

    with pytest.raises(SelfExcluded):
        open_one(kind, host)
    page = client.post(reverse("private-open"), {"kind": kind.slug}, follow=True)

    assert "excluded yourself" in page.text
    assert not Table.objects.exists()


def test_private_tables_close_after_an_hour_without_a_player(owner, kind, host):
    names = ("never used", "left", "left lately", "used")
    tables = {name: open_one(kind, make_player()) for name in names}
    now = timezone.now()
    for name, hours in (("left", 2), ("left lately", 0)):
        gone = now - timedelta(hours=hours)
        tables[name].seats.create(player=host, joined_at=gone, left_at=gone)
    seating.join(table_id=tables["used"].pk, player=host, code=tables["used"].invite_code)
    with owner():
        Table.objects.update(created_at=now - timedelta(hours=3))

    assert invitations.close_forgotten(now) == 2
    assert invitations.close_forgotten(now) == 0

    phases = {name: reread(table).phase for name, table in tables.items()}
    assert phases == {
        "never used": Table.Phase.CANCELLED,
        "left": Table.Phase.CANCELLED,
        "left lately": Table.Phase.WAITING,
        "used": Table.Phase.WAITING,
    }


def test_api_opens_a_private_table_and_its_code_seats_another_player(client, kind, host):
    [offered] = client.get(PRIVATE).json()["results"]
    opened = client.post(PRIVATE, {"kind": offered["kind"]}, JSON)
    code = opened.json()["code"]
    client.force_login(make_player())
    shown = client.get(f"{PRIVATE}{code}/").json()
    seats = f"/api/v1/tables/{opened.json()['id']}/seats/"

    uninvited, invited = client.post(seats, {}, JSON), client.post(seats, {"code": code}, JSON)

    assert (opened.status_code, invited.status_code) == (201, 201)
    assert uninvited.json()["code"] == "not_invited"
    assert (offered["kind"], offered["entry"]["minor"]) == ("duel", 100_00)
    assert opened.json()["id"] == shown["id"] == shown["table"]["id"]
    assert shown["link"].endswith(reverse("private-table", args=[code]))
    assert client.get(f"{PRIVATE}{code}/").json()["table"]["mine"]


def test_unknown_codes_and_kinds_are_not_found(client, kind, host):
    assert client.get("/private/%00/").status_code == 404
    assert client.post(reverse("private-open"), {"kind": "\0"}).status_code == 404
    assert client.get(f"{PRIVATE}nonsense/").status_code == 404
    assert client.post(PRIVATE, {"kind": "none"}, JSON).status_code == 404
    assert client.post(PRIVATE, {"kind": "\0"}, JSON).status_code == 400


def test_the_link_is_found_again_in_the_lobby_and_at_the_table(client, kind, host):
    table = open_one(kind, host)
    address = f'href="{reverse("private-table", args=[table.invite_code])}"'
    assert address in client.get(reverse("lobby")).text

    seating.join(table_id=table.pk, player=host, code=table.invite_code)
    at_the_table = client.get(reverse("table", args=[table.public_id])).text
    client.force_login(make_player())

    assert address in at_the_table
    assert table.invite_code not in client.get(reverse("lobby")).text
    assert table.invite_code not in client.get(reverse("table", args=[table.public_id])).text


def test_the_link_goes_out_as_a_message_and_as_a_picture(client, kind, host):
    table = open_one(kind, host)
    address = reverse("private-table", args=[table.invite_code])

    page = client.get(address).text

    link = f"http://testserver{address}"
    href = re.search(r'id="whatsapp" href="([^"]+)"', page)[1]
    asked = parse_qs(urlsplit(unescape(href)).query)
    assert asked == {"text": [f"Play rummy with me at Duel: {link}"]}
    drawn = re.search(r'<svg[^>]*class="qr-code".*?</svg>', page, re.DOTALL)[0]
    assert drawn == segno.make_qr(link, error="m").svg_inline(
        border=4, dark="#17161f", light="#fff", omitsize=True, svgclass="qr-code"
    )
    assert "style=" not in drawn
    # What others have added to the link is not passed on.
    assert client.get(address, {"fbclid": "x" * 3000}).context["link"] == link


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
