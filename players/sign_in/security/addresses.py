"""Where an account can be written to."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress


def address_for_codes(user: Any) -> str:
    """Return the account's verified address, the primary one first, or else its only one.

    An account that staff have made may not have verified the address they entered. A guest has "".
    """
    verified = EmailAddress.objects.filter(user=user, verified=True)
    best = verified.order_by("-primary", "pk").values_list("email", flat=True).first()
    return str(best or user.email or "")
