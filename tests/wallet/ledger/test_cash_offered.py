"""Cash play needs age and a verified address; withdrawing own money does not."""

from contextlib import nullcontext
from datetime import date, datetime, timedelta

import pytest
from django.urls import reverse

from players.eligibility.places.models import AGE_MIN
from players.eligibility.verdicts import Act, require_may
from players.exceptions import AgeUnknown, EmailUnverified, UnderAge
from tables.models.seats import Seat
from tables.seats import seating
from tests.builders.people.accounts import unverify
from tests.builders.processes import clocks
from tests.builders.tables.making import make_table
from tests.builders.tournaments.tournaments import make_tournament
from tests.builders.wallet.cashier_desk import make_depositor
from tests.builders.wallet.players import books, fund
from tournaments.entries.models import Entry
from tournaments.lobby import registration
from wallet.ledger.days import site_day

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful")]


def years_ago(years, *, days=0):
    today = site_day()
    day = 28 if (today.month, today.day) == (2, 29) else today.day
    return date(today.year - years, today.month, day) + timedelta(days=days)


def unverified(**fields):
    player = make_depositor(**fields)
    unverify(player)
    return player


def strangers():
    return [
        (make_depositor(birth_date=None), AgeUnknown),
        (make_depositor(birth_date=years_ago(AGE_MIN, days=1)), UnderAge),
        (unverified(), EmailUnverified),
    ]


def test_deposit_requires_age_and_a_verified_address(client):
    for player, refusal in strangers():
        client.force_login(player)

        answer = client.post(
            reverse("api-deposits"),
            {"amount_minor": 100_00, "currency": "INR"},
            headers={"Idempotency-Key": f"d{player.pk}"},
            content_type="application/json",
        )
        page = client.get(reverse("start-deposit")).content.decode()

        assert (answer.status_code, answer.json()["code"]) == (403, refusal.code)
        assert 'name="amount"' not in page
        assert (f'action="{reverse("account_email")}"' in page) == (refusal is EmailUnverified)


def test_tables_and_tournaments_for_money_ask_too():
    table, tournament = make_table(currency="INR"), make_tournament(currency="INR")
    for player, refusal in strangers():
        fund(player, deposit=500_00)
        before = books()

        with pytest.raises(refusal):
            seating.join(table_id=table.pk, player=player)
        with pytest.raises(refusal):
            registration.register(tournament_id=tournament.pk, player=player)

        assert books() == before
    assert not Seat.objects.exists()
    assert not Entry.objects.exists()


@pytest.mark.parametrize(
    ("born", "today", "is_adult"),
    [
        ((2012, 2, 29), "2030-02-28", False),
        ((2012, 2, 29), "2030-03-01", True),
        ((2012, 5, 4), "2030-05-03", False),
        ((2012, 5, 4), "2030-05-04", True),
    ],
)
def test_player_comes_of_age_on_the_birthday_or_on_1_march(born, today, is_adult):
    player = make_depositor(birth_date=date(*born))

    with (
        clocks.at_time(datetime.fromisoformat(f"{today}T12:00+05:30")),
        nullcontext() if is_adult else pytest.raises(UnderAge),
    ):
        require_may(player, Act.CASH)


def test_changed_address_must_be_verified_again():
    player = make_depositor()
    player.email = "another@example.com"
    player.save(update_fields=["email"])

    with pytest.raises(EmailUnverified):
        require_may(player, Act.CASH)
