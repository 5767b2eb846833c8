"""One browser has one account in a tournament; two of one network are flagged where they meet."""

import pytest
from django.urls import reverse

from tables.exceptions import SameDevice
from tables.seats import origins
from tables.seats.models import ReviewFlag, SeatOrigin
from tables.seats.origins import Origin
from tests.builders.tables.making import make_player
from tests.builders.tournaments.tournaments import again, make_tournament, start
from tests.builders.wallet.players import books
from tournaments.entries.models import EntryOrigin
from tournaments.lobby import registration
from tournaments.rounds import staff_actions

pytestmark = pytest.mark.django_db


def enter(tournament, address, device="", player=None):
    return registration.register(
        tournament_id=tournament.pk,
        player=player or make_player(),
        origin=Origin(address, device),
    )


def test_a_second_account_of_one_browser_is_refused_and_pays_nothing():
    tournament, other = make_tournament(), make_player()
    first = enter(tournament, "198.51.100.7", "cookie")
    before = books()

    with pytest.raises(SameDevice):
        enter(tournament, "203.0.113.9", "cookie", other)

    assert books() == before
    assert tournament.entries.count() == EntryOrigin.objects.count() == 1
    assert enter(make_tournament(), "203.0.113.9", "cookie", other)
    registration.withdraw(entry_id=first.pk)
    assert enter(tournament, "203.0.113.9", "cookie", other)


def test_for_cash_no_cookie_is_the_cookie_of_the_same_network():
    tournament = make_tournament()
    enter(tournament, "198.51.100.7", "cookie")
    here = origins.hashes(make_player(), Origin("198.51.100.7"))

    def alike(currency):
        condition = origins.one_browser(here, currency, through="origin__")
        return tournament.entries.filter(condition).count()

    assert (alike("INR"), alike("PTS")) == (1, 0)


def test_who_waits_counts_and_who_was_removed_does_not_come_back_by_another_name():
    tournament = make_tournament(entrants_max=3)
    entries = [enter(tournament, f"198.51.100.{no}", f"cookie-{no}") for no in range(4)]
    assert entries[3].state == "waiting"
    staff = make_player(is_staff=True)
    staff_actions.remove(entry_id=entries[0].pk, reason="Collusion", by=staff)

    for device in ("cookie-0", "cookie-3"):
        with pytest.raises(SameDevice):
            enter(tournament, "203.0.113.9", device)


def test_two_of_one_network_are_flagged_at_the_table_they_meet_at():
    tournament = make_tournament(seats=3, qualify=1)
    entries = [enter(tournament, "198.51.100.7", f"cookie-{no}") for no in range(2)]
    enter(tournament, "203.0.113.9", "cookie-9")
    assert not ReviewFlag.objects.exists()

    start(tournament)

    flag = ReviewFlag.objects.get()
    assert {flag.seat.player, flag.other.player} == {entry.player for entry in entries}
    assert (flag.kind, flag.table) == ("network", flag.seat.table)
    kept = SeatOrigin.objects.get(seat=flag.seat)
    assert kept.network_hash == EntryOrigin.objects.get(entry=entries[0]).network_hash
    assert "198.51" not in kept.network_hash
    assert again(tournament).state == "running"


def test_practice_is_nobodys_business():
    tournament = make_tournament(bots_fill=True)

    assert [enter(tournament, "198.51.100.7", "cookie") for _ in range(2)]

    assert not EntryOrigin.objects.exists()


def test_page_and_api_refuse_the_second_account_of_a_browser(client):
    tournament = make_tournament()
    page = reverse("tournament", args=[tournament.public_id])
    client.force_login(make_player())
    client.get(page)
    assert "device" in client.cookies
    client.post(reverse("tournament-register", args=[tournament.public_id]))
    client.force_login(make_player())

    refused = client.post(reverse("tournament-register", args=[tournament.public_id]), follow=True)
    answer = client.post(
        f"/api/v1/tournaments/{tournament.public_id}/entry/", {}, content_type="application/json"
    )

    assert "Another account from this browser" in refused.text
    assert (answer.status_code, answer.json()["code"]) == (409, "same_device")
    assert tournament.entries.count() == 1
