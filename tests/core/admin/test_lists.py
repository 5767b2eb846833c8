"""Lists of the admin: "Show all" only where rows are left out, short dates, readable people."""

from datetime import datetime, timedelta
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import resolve, reverse
from django.utils import timezone
from django.utils.html import strip_tags
from django.utils.text import capfirst
from django.utils.translation import override

from core.admin.links import clipped_column
from core.pages.dates import dated
from players.eligibility.places import region_changes
from tests.builders.people.region_changes import request_change
from tests.builders.staff.people import NO_ROLE, SUPERUSER, a_person
from tests.builders.wallet.payout_desk import make_withdrawal
from tests.builders.wallet.players import fund, make_player

pytestmark = pytest.mark.django_db


def test_show_all_is_offered_only_in_a_filtered_list(client):
    clerk = make_player(is_staff=True, is_superuser=True)
    client.force_login(clerk)
    stakes = reverse("admin:wallet_stake_changelist")

    def offers_all(address):
        return "Show all" in client.get(address).content.decode()

    assert not offers_all(stakes)
    assert not offers_all(f"{stakes}?o=1")
    assert offers_all(f"{stakes}?status__exact=open")
    assert offers_all(f"{stakes}?q=asha")
    files = reverse("admin:finance_gatewayfile_changelist")
    assert (offers_all(files), offers_all(f"{files}?q=asha")) == (False, True)


@pytest.mark.parametrize(
    ("ago", "shown"),
    [
        (timedelta(seconds=20), "12 May, now"),
        (timedelta(minutes=5), "12 May, 5 min ago"),
        (timedelta(hours=3), "12 May, 3 h ago"),
        (timedelta(days=40), "2 Apr, 40 d ago"),
        (timedelta(days=400), "7 Apr 2025, 400 d ago"),
        (timedelta(hours=-30), "13 May, in 1 d"),
    ],
)
def test_a_time_is_shown_as_a_short_date_with_its_age(monkeypatch, ago, shown):
    now = datetime(2026, 5, 12, 14, tzinfo=ZoneInfo("Asia/Kolkata"))
    monkeypatch.setattr(timezone, "now", lambda: now)

    assert strip_tags(dated(now - ago)) == shown


def test_transfers_name_their_actors_by_one_query(client):
    people = [make_withdrawal().player for _ in range(3)]
    client.force_login(make_player(is_staff=True, is_superuser=True))
    url = reverse("admin:wallet_transfer_changelist")

    with CaptureQueriesContext(connection) as asked:
        page = client.get(url).text

    assert all(f">{person.handle}</a>" in page for person in people)
    by_id = [one for one in asked.captured_queries if '"public_id" IN' in one["sql"]]
    assert len(by_id) == 1


def test_page_of_a_request_shows_who_decided(client):
    asks, decides = make_player(is_staff=True), make_player(is_staff=True)
    change = request_change("IN-GJ", by=asks, begins_in=timedelta(hours=1))
    region_changes.reject_change(change_id=change.pk, by=decides)
    client.force_login(make_player(is_staff=True, is_superuser=True))

    page = client.get(reverse("admin:players_regionchange_change", args=[change.pk])).text

    assert all(text in page for text in ("Rejected", asks.handle, decides.handle))


def test_request_is_decided_on_its_page_by_another_person(client):
    asks, decides = (make_player(is_staff=True, is_superuser=True) for _ in range(2))
    change = request_change("IN-GJ", by=asks, begins_in=timedelta(hours=1))
    own = reverse("admin:players_regionchange_change", args=[change.pk])
    sent = {"action": "approve", "_selected_action": str(change.pk)}

    client.force_login(asks)
    shown_to_maker = client.get(own).text
    client.force_login(decides)
    shown = client.get(own).text
    client.post(reverse("admin:players_regionchange_changelist"), sent)
    afterwards = client.get(own).text

    assert "another person decides about your request" in shown_to_maker
    button = 'name="action" value="approve"'
    assert [button in page for page in (shown_to_maker, shown, afterwards)] == [False, True, False]
    change.refresh_from_db()
    assert (change.status, change.checked_by) == ("approved", decides)


def test_long_hash_is_clipped_in_its_list_and_whole_in_a_csv():
    digest = "ab" * 32

    cell = clipped_column("hash", "Hash")(None, SimpleNamespace(hash=digest))

    assert f'class="clipped" title="{digest}"' in cell
    assert strip_tags(cell) == digest


def test_record_of_a_player_keeps_the_letters_of_the_name_and_shows_no_password(client):
    player = make_player()
    player.set_password("a long enough password")
    player.save()
    client.force_login(make_player(is_staff=True, is_superuser=True))

    page = client.get(reverse("admin:players_user_change", args=[player.pk])).text

    assert player.handle[0].islower()
    assert player.handle in page
    assert player.handle.capitalize() not in page
    assert player.password[:20] not in page
    assert "pbkdf2" not in page
    assert reverse("admin:auth_user_password_change", args=[player.pk]) in page


def test_lists_have_the_names_of_the_menu(client):
    """Each list that the menu leads to has the entry's title, in English and Hindi."""
    client.force_login(make_player(is_staff=True, is_superuser=True))
    looked = 0
    for language in ("en", "hi"):
        client.cookies.load({settings.LANGUAGE_COOKIE_NAME: language})
        groups = client.get(reverse("admin:index")).context["sidebar_navigation"]
        for item in (item for group in groups for item in group["items"]):
            listed = getattr(resolve(item["link"]).func, "model_admin", None)
            if listed is not None and item["link"] == reverse(
                f"admin:{listed.opts.app_label}_{listed.opts.model_name}_changelist"
            ):
                with override(language):
                    assert str(item["title"]) == capfirst(listed.opts.verbose_name_plural)
                looked += 1

    assert looked >= 40


ADD_BONUS = reverse("admin:wallet_bonusrequest_add")


@pytest.fixture
def staff(client):
    client.force_login(a_person(SUPERUSER))
    return client


def found(client, term):
    asked = {"app_label": "wallet", "model_name": "bonusrequest", "field_name": "player"}
    answer = client.get(reverse("admin:autocomplete"), asked | {"term": term}).json()
    return {row["id"]: row["text"] for row in answer["results"]}


def test_similar_names_are_shown_with_address_and_code(staff):
    asha = make_player(handle="asha")
    other = make_player(handle="asha1")
    labels = {
        str(each.pk): f"{each.handle} · {each.email} · {str(each.public_id)[-8:]}"
        for each in (asha, other)
    }

    assert found(staff, "asha") == labels
    assert found(staff, other.short_code) == {str(other.pk): labels[str(other.pk)]}
    assert found(staff, asha.email) == {str(asha.pk): labels[str(asha.pk)]}


def test_selected_player_has_the_same_label(staff):
    asha = make_player(handle="asha")

    page = staff.get(ADD_BONUS, {"player": asha.pk}).text

    assert asha.picker_label in page


def test_the_player_s_page_opens_a_correction_of_the_account(staff):
    asha = make_player(handle="asha")
    deposit = fund(asha, deposit=100_00)["deposit"]

    desk = staff.get(reverse("player-desk", args=[asha.pk])).text
    into = f"{reverse('admin:wallet_adjustment_add')}?target={deposit.pk}"
    form = staff.get(into).text

    assert f'href="{into}"' in desk
    assert f"Deposit INR of {asha.picker_label}" in form


def test_picker_needs_permission_to_view_players(client):
    client.force_login(a_person(NO_ROLE))
    make_player(handle="asha")
    asked = {"app_label": "wallet", "model_name": "bonusrequest", "field_name": "player"}

    assert client.get(reverse("admin:autocomplete"), asked | {"term": "asha"}).status_code == 403
