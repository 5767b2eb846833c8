"""A wind-down freezes bonuses and extends their end by its duration (RB 11.6)."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from moneyed import Money

from core.clock import database_now
from players.eligibility.places.models import Offer, Region
from players.eligibility.places.regions import wind_downs_of
from players.exceptions import CashWindingDown
from tables.seats import seating
from tests.builders.people.regions import open_region
from tests.builders.tables.making import make_table
from tests.builders.wallet.cashier_desk import make_depositor
from tests.builders.wallet.players import books, fund
from wallet.bonuses import bonuses
from wallet.bonuses.expiry import expire_bonus, expire_due_bonuses
from wallet.bonuses.models import BonusGrant, BonusMode

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
NOW = timezone.now()


def place(code, offer, days):
    """Let something be offered from so many days ago, or in so many."""
    open_region(code, offer, begins_at=NOW + days * DAY)


def lot(*, player=None, ends_in=10, mode=BonusMode.SPEND):
    open_region("IN-KA")
    player = player or make_depositor()
    return bonuses.grant_bonus(
        player=player,
        amount=Money(50, "INR"),
        mode=mode,
        expires_at=timezone.now() + ends_in * DAY,
        key=f"freeze:{player.pk}:{mode}",
        reason="Welcome",
    )


@pytest.fixture
def later(clocks):
    """Let so many days pass for the database's clock."""
    return lambda days: clocks.let_pass(days=days)


def left(lot):
    return BonusGrant.objects.get(pk=lot.pk).remaining_minor


def test_a_frozen_bonus_does_not_end_and_pays_for_nothing(later):
    frozen = lot(ends_in=2)
    player = frozen.account.player
    fund(player, deposit=500_00)
    place("IN-KA", Offer.WIND_DOWN, 1)
    later(3)
    before = books()

    assert expire_due_bonuses() == 0
    assert expire_bonus(grant_id=frozen.pk) is False
    assert bonuses.end_of(frozen) is None
    with pytest.raises(CashWindingDown):
        seating.join(table_id=make_table(currency="INR").pk, player=player)
    assert (left(frozen), books()) == (50_00, before)


def test_expiry_of_a_lot_is_extended_by_the_time_it_was_frozen(later):
    frozen = lot(ends_in=2)
    place("IN-KA", Offer.WIND_DOWN, 1)
    place("IN-KA", Offer.ALLOWED, 6)
    later(6.5)
    assert bonuses.end_of(frozen) == frozen.expires_at + 5 * DAY
    assert expire_due_bonuses() == 0

    later(1)

    assert expire_due_bonuses() == 1
    assert left(frozen) == 0


def test_a_bonus_that_ended_before_is_not_brought_back(later):
    ended = lot(ends_in=1)
    place("IN-KA", Offer.WIND_DOWN, 2)
    later(3)

    # The sweep skips the place meanwhile, but the lot has ended.
    assert bonuses.has_ended(ended, database_now())
    assert expire_bonus(grant_id=ended.pk) is True


def test_what_comes_back_from_a_game_played_to_its_end_stays_in_the_lot(later):
    frozen = lot(ends_in=2)
    player = frozen.account.player
    fund(player, deposit=500_00)
    table = make_table(currency="INR")
    seat = seating.join(table_id=table.pk, player=player)
    paid = 50_00 - left(frozen)
    assert paid > 0
    place("IN-KA", Offer.WIND_DOWN, 1)
    later(3)

    seating.leave(seat_id=seat.pk)

    assert left(frozen) == 50_00


def test_bonus_freezes_by_place_and_for_the_whole_installation(later, settings):
    here, there = lot(ends_in=2), lot(player=make_depositor(region="KA"), ends_in=2)
    place("IN-MH", Offer.WIND_DOWN, 1)
    later(3)
    settings.CASH_WIND_DOWN = True
    assert expire_due_bonuses() == 0
    assert bonuses.end_of(here) is None

    settings.CASH_WIND_DOWN = False

    assert expire_due_bonuses() == 2
    assert (left(here), left(there)) == (0, 0)


def test_a_regions_row_beats_its_countrys():
    place("IN", Offer.WIND_DOWN, -8)
    place("IN-KA", Offer.ALLOWED, -6)
    place("IN-KA", Offer.WIND_DOWN, -4)
    place("IN", Offer.ALLOWED, -2)

    def days(region):
        return [
            (round((begun - NOW) / DAY), over and round((over - NOW) / DAY))
            for begun, over in wind_downs_of("IN", region)
        ]

    assert days("KA") == [(-8, -6), (-4, None)]
    assert days("MH") == [(-8, -2)]
    assert days("TN") == []
    assert Region.objects.filter(country="IN").exists()


def test_frozen_bonus_is_shown_as_frozen(client, later):
    frozen = lot(ends_in=2)
    place("IN-KA", Offer.WIND_DOWN, 1)
    client.force_login(frozen.account.player)
    later(1.5)

    page = client.get(reverse("wallet")).text
    [said] = client.get(reverse("api-wallet")).json()["bonuses"]

    assert "Play for money is being wound down where you live" in page
    assert said["expires_at"] is None
