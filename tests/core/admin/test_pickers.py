"""Autocomplete fields of the admin distinguish players with similar names."""

import pytest
from django.urls import reverse

from tests.builders.staff.people import NO_ROLE, SUPERUSER, a_person
from tests.builders.wallet.players import fund, make_player

pytestmark = pytest.mark.django_db
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
