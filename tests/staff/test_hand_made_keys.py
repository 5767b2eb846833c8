"""A key nobody could have picked makes a form wrong, and is no error of the site's."""

import pytest
from django.contrib import admin
from django.urls import reverse

from tests.wallet.builders import make_player

pytestmark = pytest.mark.django_db
PICKING = {
    model._meta: page.autocomplete_fields
    for model, page in admin.site._registry.items()
    if page.autocomplete_fields
}


def test_keys_that_are_none_are_told_beside_their_field(client):
    client.force_login(make_player(is_staff=True, is_superuser=True))

    assert len(PICKING) >= 5
    for meta, fields in PICKING.items():
        add = reverse(f"admin:{meta.app_label}_{meta.model_name}_add")
        answer = client.post(add, dict.fromkeys(fields, "abc"))
        assert set(fields) <= set(answer.context["adminform"].form.errors), add
        # The address fills the form in: no lesser key than a number too long for one.
        assert client.get(add, dict.fromkeys(fields, "9" * 30)).status_code == 200
