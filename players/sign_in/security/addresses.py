"""The e-mail address to which an account's codes are sent."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress


def address_for_codes(user: Any) -> str:
    """Return the account's verified address, the primary one first, else `email`; "" for guests.

    The address of an account that staff created may be unverified.
    """
    verified = EmailAddress.objects.filter(user=user, verified=True)
    best = verified.order_by("-primary", "pk").values_list("email", flat=True).first()
    return str(best or user.email or "")
