"""Sitting down and leaving: money and seats move together or not at all."""

import pytest
from django.urls import reverse

from tables.exceptions import NotAllowed, SameDevice, TableFull, TableNotWaiting
from tables.integrity.moderation.reviews import Pair, pair_of
from tables.lobby import quick_seat
from tables.models.deals import Deal
from tables.models.seats import BuyIn, Seat
from tables.models.tables import Table
from tables.models.templates import NetworkRule
from tables.seats import origins, seating
from tables.seats.models import ReviewFlag, SeatOrigin
from tables.seats.origins import Origin
from tables.settlement import scoring
from tables.state import clock
from tests.builders.tables.making import make_player, make_rules, make_table
from tests.builders.tables.offers import make_template
from tests.builders.tables.playing import at_once, move, reread, run_out, seat_at
from tests.builders.wallet.players import books, points_of
from wallet.exceptions import InsufficientFunds
from wallet.ledger.models import Entry, Transfer

pytestmark = pytest.mark.django_db


def test_sitting_down_pays_the_entry_into_the_tables_escrow():
    table = make_table(seats_max=3)
    player = make_player()
    before = points_of(player)

    seat = seating.join(table_id=table.pk, player=player)

    table = reread(table)
    assert points_of(player) == before - 100_00
    assert table.escrow.balance_minor == 100_00
    assert table.phase == Table.Phase.WAITING
    assert table.version == 1
    assert BuyIn.objects.get(seat=seat).stake.transfer.key == f"buyin:{seat.pk}:1"


def test_without_money_nothing_is_written():
    table = make_table(entry_minor=99_999_999)
    player = make_player()
    transfers = Transfer.objects.count()

    with pytest.raises(InsufficientFunds):
        seating.join(table_id=table.pk, player=player)

    assert Seat.objects.count() == 0
    assert Transfer.objects.count() == transfers
    assert reread(table).version == 0


@pytest.mark.django_db(transaction=True)
def test_concurrent_last_seats_are_one_seat_and_one_refusal():
    table = make_table(seats_max=2)
    seating.join(table_id=table.pk, player=make_player())
    rivals = [make_player(), make_player()]

    answers = at_once([lambda p=p: seating.join(table_id=table.pk, player=p) for p in rivals])

    assert sorted(type(answer).__name__ for answer in answers) == ["Seat", "TableFull"]
    table = reread(table)
    assert table.escrow.balance_minor == 200_00
    assert table.seats.count() == 2
    assert table.deal_no == 1
    assert Entry.objects.filter(account=table.escrow).count() == 2


@pytest.mark.parametrize(("seats_max", "refusal"), [(3, TableNotWaiting), (2, TableFull)])
def test_joining_is_refused_once_the_game_has_begun(seats_max, refusal):
    table = make_table(rules=make_rules(toss_seconds=5), seats_max=seats_max)
    for _ in range(2):
        seating.join(table_id=table.pk, player=make_player())
    assert reread(table).phase == Table.Phase.TOSS
    late = make_player()

    with pytest.raises(refusal):
        seating.join(table_id=table.pk, player=late)

    assert not Seat.objects.of_player(late).exists()


def test_bots_sit_at_tables_for_play_points_only():
    table = make_table(currency="INR")
    bot = make_player(is_bot=True, email=None)

    with pytest.raises(NotAllowed):
        seating.join(table_id=table.pk, player=bot)


def test_enough_players_start_the_countdown_and_its_end_starts_the_game():
    table = make_table(rules=make_rules(start_seconds=10, toss_seconds=5), seats_max=3)
    seating.join(table_id=table.pk, player=make_player())
    assert reread(table).due_at is None
    seating.join(table_id=table.pk, player=make_player())
    table = reread(table)
    assert (table.due_at - table.armed_at).total_seconds() == 10
    committed = table.deals.get()
    assert committed.status == Deal.Status.COMMITTED

    table = run_out(table)
    clock.apply_overdue(table_id=table.pk, now=table.due_at)

    table = reread(table)
    assert table.phase == Table.Phase.TOSS
    assert sorted(table.seats.values_list("number", flat=True)) == [1, 2]
    assert table.deals.get().status == Deal.Status.PLAYING
    assert table.deals.get().commitment == committed.commitment
    assert len(table.deals.get().toss.split()) == 2


def test_leaving_before_the_start_returns_the_entry_and_frees_the_player():
    table = make_table(rules=make_rules(start_seconds=10), seats_max=3)
    stays, goes = make_player(), make_player()
    before = points_of(goes)
    seating.join(table_id=table.pk, player=stays)
    seat = seating.join(table_id=table.pk, player=goes)

    seating.leave(seat_id=seat.pk)
    seating.leave(seat_id=seat.pk)  # A double click.

    table = reread(table)
    assert points_of(goes) == before
    assert table.escrow.balance_minor == 100_00
    assert table.due_at is None
    assert Transfer.objects.filter(key=f"leave:{seat.pk}").count() == 1
    assert seating.join(table_id=table.pk, player=goes) != seat
    assert reread(table).escrow.balance_minor == 200_00


def sit(table, address, device="", **fields):
    player = make_player(**fields)
    return seating.join(table_id=table.pk, player=player, origin=Origin(address, device))


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


def test_page_and_api_set_the_cookie_at_sign_in_or_with_the_seat_and_require_it(client):
    table = make_table(seats_max=4, seats_min=4)
    seats = f"/api/v1/tables/{table.public_id}/seats/"
    client.get(reverse("lobby"))
    client.get("/api/v1/tables/")
    assert "device" not in client.cookies
    cookies = []
    for number in range(2):
        email = f"player{number}@example.com"
        make_player(email=email, password="a long pass phrase")
        form = {"login": email, "password": "a long pass phrase"}
        client.post(reverse("account_login"), form)
        cookies.append(client.cookies["device"].value)
        answer = client.post(seats, {}, content_type="application/json")
        page = client.post(reverse("table-join", args=[table.public_id]), follow=True)
        client.post(reverse("account_logout"))

    assert cookies[0] == cookies[1] != ""
    assert (answer.status_code, answer.json()["code"]) == (409, "same_device")
    assert "Another account from this browser" in page.text
    assert table.seats.present().count() == 1
    del client.cookies["device"]
    client.force_login(make_player())
    with_seat = client.post(seats, {}, content_type="application/json")
    assert with_seat.status_code == 201
    assert with_seat.cookies["device"]["httponly"] is True


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
def test_staff_see_drops_between_two_players_and_note_what_they_found(client, game_of_three):
    table = game_of_three
    first, second, third = (seat_at(table, position) for position in (1, 2, 3))
    flag = ReviewFlag.objects.create(table=table, kind="network", seat=first, other=third)
    move(table, 1, "drop")
    move(table, 2, "drop")
    scoring.settle_deal(deal_id=table.deals.get(no=1).pk)

    assert pair_of(first.player_id, third.player_id) == Pair(1, 1, 1, 0, 0)
    assert pair_of(first.player_id, second.player_id) == Pair(1, 0, 0, 0, 0)
    staff = make_player(is_staff=True, is_superuser=True)
    client.force_login(staff)
    address = reverse("admin:tables_reviewflag_change", args=[flag.pk])
    page = client.get(address).text
    assert f"{first.player.handle} dropped in 1 of the 1" in " ".join(page.split())
    client.post(address, {"note": "Sisters"})
    flag.refresh_from_db()
    assert (flag.note, flag.reviewed_by) == ("Sisters", staff)
