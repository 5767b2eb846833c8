"""Lists of the admin offer "Show all" only where rows are left out."""

import pytest
from django.urls import reverse

from tests.builders.wallet.players import make_player

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
