"""Time zones: pages use the account's zone, and days of the ledger the site's zone."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.builders.tables.making import make_player
from tests.builders.tournaments.tournaments import make_tournament
from tests.builders.wallet.players import fund
from tests.builders.wallet.players import make_player as make_poor_player
from tournaments.planning.models import Tournament
from wallet.ledger.models import Transfer

pytestmark = pytest.mark.django_db
STARTS = datetime(2031, 1, 15, 20, 30, tzinfo=UTC)


@pytest.fixture
def tournament():
    tournament = make_tournament()
    Tournament.objects.filter(pk=tournament.pk).update(starts_at=STARTS)
    return tournament


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        ("America/New_York", "15 Jan 2031, 15:30"),
        ("Asia/Kolkata", "16 Jan 2031, 02:00"),
        ("Mars/Olympus", "16 Jan 2031, 02:00"),
        (None, "16 Jan 2031, 02:00"),  # Signed out.
    ],
)
def test_a_page_shows_times_in_the_zone_of_the_account(client, tournament, zone, shown):
    if zone:
        client.force_login(make_player(time_zone=zone))

    page = client.get(reverse("tournament", args=[tournament.public_id])).text

    assert shown in page
    assert timezone.get_current_timezone_name() == "Asia/Kolkata"


def test_staff_pages_show_times_in_the_site_zone(client, tournament):
    client.force_login(make_player(is_staff=True, is_superuser=True, time_zone="America/New_York"))

    page = client.get(reverse("admin:tournaments_tournament_change", args=[tournament.pk])).text

    assert "16 Jan 2031, 02:00" in page


def test_statement_names_its_time_zone(client):
    player = make_player(time_zone="Pacific/Kiritimati")
    fund(player, deposit=10_00)
    client.force_login(player)

    page = client.get(reverse("wallet-statement")).text

    booked = Transfer.objects.get(kind="deposit").created_at
    assert f"{booked.astimezone(ZoneInfo('Pacific/Kiritimati')):%H:%M}</time>" in page
    assert "in your time zone, Pacific/Kiritimati" in page
    assert "begin at midnight in India" in page


def test_site_day_is_independent_of_the_account_zone(client):
    """One of these two zones always has another date than India."""
    players = [make_poor_player(time_zone=zone) for zone in ("Pacific/Kiritimati", "Pacific/Niue")]
    india = ZoneInfo("Asia/Kolkata")
    days = {timezone.localdate(timezone=india)}

    for player in players:
        client.force_login(player)
        client.post(reverse("refill-points"))

    days.add(timezone.localdate(timezone=india))  # Midnight may have passed meanwhile.
    for player in players:
        keys = {f"grant:daily:{player.pk}:{day.isoformat()}" for day in days}
        assert Transfer.objects.get(key__startswith=f"grant:daily:{player.pk}:").key in keys


@pytest.mark.parametrize(
    ("fields", "first"),
    [
        ({"country": "IN", "region": "KA"}, ["Asia/Kolkata"]),
        ({"country": "DE", "time_zone": "Asia/Tokyo"}, ["Asia/Tokyo", "Asia/Kolkata"]),
    ],
)
def test_likely_time_zones_come_first_and_once(client, fields, first):
    client.force_login(make_player(**fields))

    page = client.get(reverse("account")).text

    likely, others = re.findall(r"<optgroup.*?</optgroup>", page, re.DOTALL)
    values = re.findall(r'value="([^"]+)"', likely)
    assert values[: len(first)] == first
    assert ("Europe/Berlin" in values) == (fields["country"] == "DE")
    assert not {*values} & {*re.findall(r'value="([^"]+)"', others)}
    assert page.count(f'value="{first[0]}" selected') == 1
