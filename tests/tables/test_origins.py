"""Seats of one network or device at one table are flagged for staff, and nobody is refused."""

import pytest
from django.urls import reverse

from tables.models import ReviewFlag, SeatOrigin
from tables.selectors.pairs import Pair, pair_of
from tables.services import seating, settlement
from tables.services.origins import Origin
from tests.tables.builders import make_game, make_player, make_table, move, seat_at

pytestmark = pytest.mark.django_db


def sit(table, address, device="", **fields):
    player = make_player(**fields)
    return seating.join(table_id=table.pk, player=player, origin=Origin(address, device))


def kinds():
    return sorted(ReviewFlag.objects.values_list("kind", flat=True))


def test_one_network_at_one_table_is_flagged_once_a_pair():
    table = make_table(seats_max=4, seats_min=4)
    one = sit(table, "198.51.100.7")
    sit(table, "203.0.113.9")
    two = sit(table, "198.51.100.7")

    flag = ReviewFlag.objects.get()
    assert (flag.kind, flag.seat, flag.other) == ("network", one, two)


def test_a_device_tells_more_than_a_network():
    table = make_table(seats_max=4, seats_min=4)
    sit(table, "198.51.100.7", "cookie")
    sit(table, "203.0.113.9", "cookie")
    sit(table, "192.0.2.1", "another")

    assert kinds() == ["device"]


def test_a_household_shares_the_first_half_of_its_long_address():
    table = make_table(seats_max=3, seats_min=3)
    sit(table, "2001:db8:1:2::10")
    sit(table, "2001:db8:1:2:ffff::1")
    sit(table, "2001:db8:1:3::10")

    assert kinds() == ["network"]


def test_other_tables_and_practice_are_nobodys_business():
    sit(make_table(seats_max=3, seats_min=3), "198.51.100.7")
    sit(make_table(seats_max=3, seats_min=3), "198.51.100.7")
    sit(make_table(seats_max=3, seats_min=3, bots_fill=True), "192.0.2.8")

    assert not ReviewFlag.objects.exists()
    assert SeatOrigin.objects.count() == 2


def test_nothing_kept_names_an_address():
    seat = sit(make_table(seats_max=3), "198.51.100.7", "cookie", consent_version="2026-01")

    kept = SeatOrigin.objects.get(seat=seat)
    assert "198.51" not in f"{kept.network_hash}{kept.device_hash}"
    assert kept.consent_version == "2026-01"
    assert len(kept.network_hash) == len(kept.device_hash) == 64


def test_the_page_brings_its_cookie_and_staff_note_what_they_found(client):
    table = make_table(seats_max=3, seats_min=3)
    for _ in range(2):
        client.force_login(make_player())
        client.get(reverse("lobby"))
        client.post(reverse("table-join", args=[table.public_id]))
        assert "device" in client.cookies
    assert kinds() == ["device", "network"]

    staff = make_player(is_staff=True, is_superuser=True)
    client.force_login(staff)
    flag = ReviewFlag.objects.first()
    page = reverse("admin:tables_reviewflag_change", args=[flag.pk])
    client.post(page, {"note": "Sisters"})

    flag.refresh_from_db()
    assert (flag.note, flag.reviewed_by) == ("Sisters", staff)


def test_staff_read_who_dropped_to_whom(client):
    table = make_game(players=3)
    first, second = seat_at(table, 1), seat_at(table, 2)
    flag = ReviewFlag.objects.create(
        table=table, kind="network", seat=first, other=seat_at(table, 3)
    )
    move(table, 1, "drop")
    move(table, 2, "drop")
    settlement.settle_deal(deal_id=table.deals.get(no=1).pk)

    assert pair_of(first.player_id, flag.other.player_id) == Pair(1, 1, 1, 0, 0)
    assert pair_of(first.player_id, second.player_id) == Pair(1, 0, 0, 0, 0)
    client.force_login(make_player(is_staff=True, is_superuser=True))
    page = client.get(reverse("admin:tables_reviewflag_change", args=[flag.pk])).text
    assert f"{first.player.handle} dropped in 1 of the 1" in " ".join(page.split())
