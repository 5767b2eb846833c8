"""Help, contact, terms and responsible play pages, with the site's figures."""

from typing import Any

from django.conf import settings
from django.views.generic import TemplateView

from players.eligibility.places.models import AGE_MIN
from players.limits.own_limits import RAISE_WAITS

SITE_PAGES = ("help", "contact", "terms", "responsible-play")


class SitePageView(TemplateView):
    """One of `SITE_PAGES`, public."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(
            age=AGE_MIN,
            contact_email=settings.CONTACT_EMAIL,
            raise_hours=int(RAISE_WAITS.total_seconds()) // 3600,
            wait=settings.WITHDRAWAL_WAIT_HOURS,
            **kwargs,
        )
