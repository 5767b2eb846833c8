"""Help, contact, terms and responsible play pages are linked from every page."""

import pytest
from django.urls import reverse

from wallet.cashier.pages import SITE_PAGES

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("language", ["en", "hi"])
def test_the_foot_of_a_page_leads_to_each(client, language):
    client.cookies["django_language"] = language

    for name in (*SITE_PAGES, "contact"):
        page = client.get(reverse(name))

        assert page.status_code == 200
        assert page.text.count('<section class="panel"') > 1
        assert all(f'href="{reverse(each)}"' in page.text for each in SITE_PAGES)


def test_contact_address_is_a_setting(client, settings):
    settings.CONTACT_EMAIL = ""
    assert "mailto:" not in client.get(reverse("contact")).text

    settings.CONTACT_EMAIL = "help@rummy.example"
    assert 'href="mailto:help@rummy.example"' in client.get(reverse("contact")).text


def test_the_figures_are_the_sites_own(client, settings):
    settings.WITHDRAWAL_WAIT_HOURS = {"requested": 5, "approved": 7}

    assert "within 5 hours and paid within 7 hours" in client.get(reverse("help")).text
    assert "players of 18 or older" in client.get(reverse("terms")).text
    assert "only after 24 hours" in client.get(reverse("responsible-play")).text
