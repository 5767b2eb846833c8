"""Private tables can only be found by their link."""

import re
from datetime import timedelta
from functools import partial
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
import segno
from django.urls import reverse
from django.utils import timezone

from players.eligibility.break_models import Break
from players.eligibility.breaks import take_break
from players.exceptions import SelfExcluded
from tables.exceptions import NotInvited
from tables.games import opening
from tables.lobby import invitations
from tables.models.tables import Table
from tables.seats import seating
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


def test_private_table_admits_only_players_with_the_code(kind, host):
    table = open_one(kind, host)

    for wrong in ("", "guess"):
        with pytest.raises(NotInvited):
            seating.join(table_id=table.pk, player=make_player(), code=wrong)
    seating.join(table_id=table.pk, player=host, code=table.invite_code)
    seating.join(table_id=table.pk, player=make_player(), code=table.invite_code)

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


def test_lobby_does_not_list_private_tables(client, kind, host):
    open_one(kind, host)

    opening.keep_lobby_stocked()

    assert Table.objects.joinable().count() == 1
    assert Table.objects.waiting().count() == 2
    assert client.get(reverse("lobby")).text.count('id="join-') == 1


def test_page_opens_a_private_table_and_its_link_seats_a_guest(client, kind, host):
    opened = client.post(reverse("private-open"), {"kind": "duel"}, follow=True)
    table = Table.objects.get(opened_by=host)
    assert table.invite_code in opened.text
    code = {"code": table.invite_code}
    client.post(reverse("table-join", args=[table.public_id]), code)
    assert (
        "1 of 2 seats taken" in client.get(reverse("private-table", args=[table.invite_code])).text
    )

    del client.cookies["device"]  # Another browser.
    client.force_login(make_player())
    assert "Sit down" in client.get(reverse("private-table", args=[table.invite_code])).text
    answer = client.post(reverse("table-join", args=[table.public_id]), code)

    assert answer.url == reverse("table", args=[table.public_id])
    assert client.get(reverse("private-table", args=["nonsense"])).status_code == 404


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
