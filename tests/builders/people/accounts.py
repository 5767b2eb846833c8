"""Accounts, created through the sign-up form or directly."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.urls import reverse

from players.accounts import consent
from players.accounts.models import User
from tests.builders.wallet.tax_office import unguarded

PASSWORD = "a long enough pass phrase"


def sign_up(client, **overrides):
    fields = {"email": "new@example.com", "handle": "newcomer", "password1": PASSWORD}
    return client.post(reverse("account_signup"), fields | overrides)


def make_player(handle="asha", *, confirmed=True, **fields):
    fields = {"email": f"{handle}@example.com", "consent_version": consent.VERSION} | fields
    player = User.objects.create_user(handle=handle, **fields)
    EmailAddress.objects.create(user=player, email=player.email, verified=confirmed, primary=True)
    return player


def unverify(player=None):
    """Mark addresses of a player, or of all, as unverified, bypassing the database's guard."""
    addresses = EmailAddress.objects.all()
    with unguarded():
        (addresses.filter(user=player) if player else addresses).update(verified=False)
