"""Birth dates are set once, and each region has a minimum age."""

from datetime import date, timedelta

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from players.accounts.zones import site_today
from players.eligibility.verdicts import Act, may
from players.exceptions import BadBirthDate, BirthDateGiven
from players.identity.birth_dates import give_birth_date
from tests.builders.people.region_changes import change_region
from tests.builders.people.regions import open_region
from tests.builders.wallet.cashier_desk import make_depositor
from tests.builders.wallet.players import make_player

pytestmark = pytest.mark.django_db
BORN = date(1990, 5, 1)


def test_a_birth_date_is_given_once():
    player = make_player(birth_date=None)

    give_birth_date(player_id=player.pk, born=BORN)
    give_birth_date(player_id=player.pk, born=BORN)
    with pytest.raises(BirthDateGiven):
        give_birth_date(player_id=player.pk, born=date(1980, 5, 1))

    player.refresh_from_db()
    assert player.birth_date == BORN


@pytest.mark.parametrize("days", [1, -121 * 366])
def test_birth_date_in_the_future_or_too_long_ago_is_refused(days):
    player = make_player(birth_date=None)

    with pytest.raises(BadBirthDate):
        give_birth_date(player_id=player.pk, born=site_today() + timedelta(days=days))

    player.refresh_from_db()
    assert player.birth_date is None


def test_the_page_opens_play_for_money_and_keeps_the_first_date(client):
    open_region("IN-KA")
    player = make_depositor(birth_date=None)
    client.force_login(player)
    assert may(player, Act.DEPOSIT).code == "age_unknown"
    assert reverse("birth-date") in client.get(reverse("account")).text

    page = client.post(reverse("birth-date"), {"born": BORN.isoformat()}, follow=True).text

    player.refresh_from_db()
    assert may(player, Act.DEPOSIT).is_allowed
    assert "1 May 1990" in page
    assert reverse("birth-date") not in page
    again = client.post(reverse("birth-date"), {"born": "1980-05-01"}).text
    player.refresh_from_db()
    assert player.birth_date == BORN
    assert "To correct it, contact us." in again


def test_the_minimum_age_is_the_places():
    born = site_today().replace(day=1)
    born = born.replace(year=born.year - 19)
    player = make_depositor(birth_date=born, country="IN", region="MH")
    open_region("IN-MH")
    assert may(player, Act.CASH).is_allowed

    change_region("IN-MH", age_min=21)

    verdict = may(player, Act.CASH)
    assert verdict.code == "under_age"
    assert "21" in verdict.sentence
    assert verdict.until is not None
    assert verdict.until.date() == born.replace(year=born.year + 21)


@pytest.mark.parametrize("age", [17, 31])
def test_no_place_takes_children(age):
    with pytest.raises(IntegrityError, match="is_for_adults"), transaction.atomic():
        open_region("IN-MH", begins_at=timezone.now(), age_min=age)
