"""For a running site: give a player a residence with play for money, a balance and a bonus.

With the step `wind-down` it begins one in that country.
"""

from __future__ import annotations


def main(handle: str, country: str, step: str = "") -> None:
    from allauth.account.models import EmailAddress
    from django.utils import timezone
    from moneyed import Money

    from players.accounts.models import User
    from players.eligibility.places.models import Offer
    from tests.builders.people.regions import open_region
    from tests.builders.wallet.players import create_user
    from wallet.bonuses import requests
    from wallet.bonuses.models import BonusMode

    if step:
        open_region(country, Offer.WIND_DOWN, begins_at=timezone.now())
        return
    open_region(country, withdrawal_needs_identity=True)
    player = User.objects.get(handle=handle)
    player.country = country
    player.save(update_fields=["country"])
    EmailAddress.objects.filter(user=player).update(verified=True)
    maker, checker = (
        create_user(
            handle=f"{handle[:16]}_{part}", email=f"{handle}{part}@staff.example", is_staff=True
        )
        for part in "ab"
    )
    asked = requests.request_bonus(
        player=player,
        amount=Money(50, "INR"),
        mode=BonusMode.SPEND,
        term_days=10,
        reason="Welcome",
        by=maker,
    )
    requests.approve_bonus(request=asked, by=checker)
