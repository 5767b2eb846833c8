"""Two accounts of one device at one table are refused; of one network, flagged for staff."""

import pytest
from django.urls import reverse

from tables.exceptions import SameDevice
from tables.integrity.moderation.reviews import Pair, pair_of
from tables.lobby import quick_seat
from tables.models.templates import NetworkRule
from tables.seats import origins, seating
from tables.seats.models import ReviewFlag, SeatOrigin
from tables.seats.origins import Origin
from tables.settlement import scoring
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.offers import make_template
from tests.builders.tables.playing import move, seat_at
from tests.builders.wallet.players import books

pytestmark = pytest.mark.django_db


def sit(table, address, device="", **fields):
    player = make_player(**fields)
    return seating.join(table_id=table.pk, player=player, origin=Origin(address, device))


def kinds():
    return sorted(ReviewFlag.objects.values_list("kind", flat=True))


@pytest.mark.parametrize(
    ("first", "elsewhere", "second"),
    [
        ("198.51.100.7", "203.0.113.9", "198.51.100.7"),
        ("2001:db8:1:2::10", "2001:db8:1:3::10", "2001:db8:1:2:ffff::1"),  # A household.
    ],
)
def test_one_network_at_one_table_is_flagged_once_a_pair(first, elsewhere, second):
    table = make_table(seats_max=4, seats_min=4)
    one = sit(table, first)
    sit(table, elsewhere)
    two = sit(table, second)

    flag = ReviewFlag.objects.get()
    assert (flag.kind, flag.seat, flag.other) == ("network", one, two)


def test_second_account_of_one_browser_is_refused_without_payment():
    table = make_table(seats_max=4, seats_min=4)
    sit(table, "198.51.100.7", "cookie")
    other = make_player()
    before = books()

    with pytest.raises(SameDevice):
        seating.join(table_id=table.pk, player=other, origin=Origin("203.0.113.9", "cookie"))

    assert books() == before
    assert table.seats.present().count() == 1
    assert sit(make_table(seats_max=4), "203.0.113.9", "cookie")
    assert sit(table, "192.0.2.1", "another")
    assert not ReviewFlag.objects.exists()


def test_api_sets_the_cookie_at_sign_in_and_requires_it(client):
    table = make_table(seats_max=4, seats_min=4)
    seats = f"/api/v1/tables/{table.public_id}/seats/"
    cookies = []
    for number in range(2):
        email = f"player{number}@example.com"
        make_player(email=email, password="a long pass phrase")
        form = {"login": email, "password": "a long pass phrase"}
        client.post(reverse("account_login"), form)
        cookies.append(client.cookies["device"].value)
        answer = client.post(seats, {}, content_type="application/json")
        client.post(reverse("account_logout"))

    assert cookies[0] == cookies[1] != ""
    assert (answer.status_code, answer.json()["code"]) == (409, "same_device")
    assert table.seats.present().count() == 1


def test_session_without_device_cookie_gets_one_with_its_seat(client):
    table = make_table(seats_max=4, seats_min=4)
    client.force_login(make_player())

    answer = client.post(f"/api/v1/tables/{table.public_id}/seats/", {}, "application/json")

    assert answer.status_code == 201
    assert answer.cookies["device"]["httponly"] is True


def test_strangers_get_no_cookie(client):
    client.get(reverse("lobby"))
    client.get("/api/v1/tables/")

    assert "device" not in client.cookies


@pytest.mark.parametrize(("seated", "comes"), [("", "cookie"), ("cookie", ""), ("", "")])
def test_for_cash_no_cookie_is_the_cookie_of_the_same_network(seated, comes):
    table = make_table(seats_max=4, seats_min=4)
    sit(table, "198.51.100.7", seated)
    table.currency = "INR"

    def refuse(network, device):
        player = make_player()
        origins.refuse_alike(table, player, origins.hashes(player, Origin(network, device)))

    with pytest.raises(SameDevice):
        refuse("198.51.100.7", comes)

    refuse("203.0.113.9", comes)
    if seated:
        refuse("198.51.100.7", "another")
    table.currency = "PTS"
    refuse("198.51.100.7", comes)


def test_a_browser_whose_other_account_has_left_may_sit_down():
    table = make_table(seats_max=4, seats_min=4)
    first = sit(table, "198.51.100.7", "cookie")
    seating.leave(seat_id=first.pk)

    assert sit(table, "198.51.100.7", "cookie")
    # The same player came back: an account is not its own stranger.
    assert seating.join(
        table_id=table.pk, player=first.player, origin=Origin("203.0.113.9", "other")
    )


def test_second_player_of_a_network_is_refused_if_the_template_requires_it(client):
    kind = make_template(same_network=NetworkRule.REFUSE)
    table = make_table(seats_max=4, seats_min=4, template=kind)
    sit(table, "2001:db8:1:2::10")
    player = make_player()
    client.force_login(player)
    client.defaults["REMOTE_ADDR"] = "2001:db8:1:2::11"

    answer = client.post(
        f"/api/v1/tables/{table.public_id}/seats/", {}, content_type="application/json"
    )

    assert (answer.status_code, answer.json()["code"]) == (409, "same_network")
    assert sit(table, "2001:db8:1:3::10")
    assert not ReviewFlag.objects.exists()


def test_quick_seat_skips_a_table_with_the_same_browser():
    near, far = make_table(seats_max=2), make_table(seats_max=3)
    sit(near, "198.51.100.7", "cookie")

    seat = quick_seat.sit_down(player=make_player(), origin=Origin("198.51.100.7", "cookie"))

    assert seat.table_id == far.pk


def test_other_tables_and_practice_are_not_flagged():
    sit(make_table(seats_max=3, seats_min=3), "198.51.100.7")
    sit(make_table(seats_max=3, seats_min=3), "198.51.100.7")
    sit(make_table(seats_max=3, seats_min=3, bots_fill=True), "192.0.2.8")

    assert not ReviewFlag.objects.exists()
    assert SeatOrigin.objects.count() == 2


def test_stored_origin_contains_no_address():
    seat = sit(make_table(seats_max=3), "198.51.100.7", "cookie", consent_version="2026-01")

    kept = SeatOrigin.objects.get(seat=seat)
    assert "198.51" not in f"{kept.network_hash}{kept.device_hash}"
    assert kept.consent_version == "2026-01"
    assert len(kept.network_hash) == len(kept.device_hash) == 64


@pytest.mark.extended
def test_the_page_brings_its_cookie_and_staff_note_what_they_found(client):
    table = make_table(seats_max=3, seats_min=3)
    for _ in range(2):
        client.force_login(make_player())
        client.get(reverse("lobby"))
        page = client.post(reverse("table-join", args=[table.public_id]), follow=True)
        assert "device" in client.cookies
    assert "Another account from this browser" in page.text
    assert table.seats.present().count() == 1
    del client.cookies["device"]
    client.force_login(make_player())
    client.post(reverse("table-join", args=[table.public_id]))
    assert kinds() == ["network"]

    staff = make_player(is_staff=True, is_superuser=True)
    client.force_login(staff)
    flag = ReviewFlag.objects.first()
    page = reverse("admin:tables_reviewflag_change", args=[flag.pk])
    client.post(page, {"note": "Sisters"})

    flag.refresh_from_db()
    assert (flag.note, flag.reviewed_by) == ("Sisters", staff)


@pytest.mark.extended
def test_review_page_counts_drops_between_two_players(client):
    table = make_game(players=3)
    first, second = seat_at(table, 1), seat_at(table, 2)
    flag = ReviewFlag.objects.create(
        table=table, kind="network", seat=first, other=seat_at(table, 3)
    )
    move(table, 1, "drop")
    move(table, 2, "drop")
    scoring.settle_deal(deal_id=table.deals.get(no=1).pk)

    assert pair_of(first.player_id, flag.other.player_id) == Pair(1, 1, 1, 0, 0)
    assert pair_of(first.player_id, second.player_id) == Pair(1, 0, 0, 0, 0)
    client.force_login(make_player(is_staff=True, is_superuser=True))
    page = client.get(reverse("admin:tables_reviewflag_change", args=[flag.pk])).text
    assert f"{first.player.handle} dropped in 1 of the 1" in " ".join(page.split())
