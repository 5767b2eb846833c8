"""Invalid keys, days, pages and characters in the admin's URLs are refused with 400 or 404."""

import pytest
from django.contrib import admin
from django.urls import reverse

from tests.builders.wallet.players import make_player

pytestmark = pytest.mark.django_db
PICKING = {
    model._meta: page.autocomplete_fields
    for model, page in admin.site._registry.items()
    if page.autocomplete_fields
}


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)
@pytest.mark.soak
def test_invalid_keys_are_errors_of_their_field(client):
    client.force_login(make_player(is_staff=True, is_superuser=True))

    assert len(PICKING) >= 5
    for meta, fields in PICKING.items():
        add = reverse(f"admin:{meta.app_label}_{meta.model_name}_add")
        # The last has more figures than Python reads.
        for key in ("abc", "9" * 5_000):
            answer = client.post(add, dict.fromkeys(fields, key))
            assert set(fields) <= set(answer.context["adminform"].form.errors), add
        # The address fills the form in: no lesser key than a number too long for one.
        assert client.get(add, dict.fromkeys(fields, "9" * 30)).status_code == 200


@pytest.fixture
def superuser(client):
    client.force_login(make_player(is_staff=True, is_superuser=True))
    return client


def lists():
    """Return the address of each list of the admin with its page."""
    found = [
        (reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"), page)
        for model, page in admin.site._registry.items()
    ]
    assert len(found) > 50
    return found


@pytest.mark.extended
def test_lists_refuse_selected_rows_with_invalid_keys(superuser):
    for address, page in lists():
        answers = {
            superuser.post(address, {"action": "any", "_selected_action": key}).status_code
            for key in ("abc", "", "\0")
        }
        # A key of signed-in sessions is a text.
        is_text = page.model._meta.pk.get_internal_type() == "CharField"
        assert answers == ({302, 400} if is_text else {400}), address


@pytest.mark.extended
def test_lists_refuse_invalid_days(superuser):
    shown = [(address, page.date_hierarchy) for address, page in lists() if page.date_hierarchy]

    assert len(shown) >= 10
    for address, day in shown:
        for part in (f"{day}__year={'9' * 30}", f"{day}__year=9999", f"{day}__month={'9' * 30}"):
            assert superuser.get(f"{address}?{part}").status_code == 400, address


@pytest.mark.extended
def test_lists_refuse_nul_characters(superuser):
    for address, page in lists():
        for name in ("q", "no%00name", *named_filters(page)):
            assert superuser.get(f"{address}?{name}=%00").status_code == 400, address
    for rest in ("autocomplete/?term=%00&app_label=wallet", "search/?s=%00"):
        assert superuser.get(f"/admin/{rest}").status_code == 400


def named_filters(page):
    return [asked for asked in page.list_filter if isinstance(asked, str)]


def test_search_has_no_invalid_page(superuser):
    for page in ("9" * 30, "abc", "-1"):
        assert superuser.get(f"/admin/search/?s=a&extended=1&page={page}").status_code == 404


@pytest.mark.parametrize("way", ["s=withdrawals", "s=withdrawals&extended=1"])
def test_search_returns_the_same_result_from_the_cache(superuser, way):
    first, again = (superuser.get(f"/admin/search/?{way}") for _ in range(2))

    assert (first.status_code, again.status_code) == (200, 200)
    for answer in (first, again):
        assert reverse("admin:wallet_withdrawal_changelist") in answer.text


def test_valid_day_and_key_are_accepted(superuser):
    address = reverse("admin:wallet_transfer_changelist")

    assert superuser.get(f"{address}?booked_on__year=2026&booked_on__month=2").status_code == 200
    chosen = {"action": "nothing", "_selected_action": "9" * 18}
    assert superuser.post(address, chosen).status_code in (200, 302)
