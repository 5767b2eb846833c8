"""What is kept of a closed account, why, and until when: the page "Your data" says it."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.utils.translation import gettext_lazy as _

# What is kept, why, and until when.
KEPT: Final[tuple[tuple[Any, Any, Any], ...]] = (
    (
        _("Games you played, move by move"),
        _("They are the other players' games too, and proof that the deals were fair."),
        _("For good."),
    ),
    (
        _("Your transfers, deposits, withdrawals and bank accounts (encrypted)"),
        _("The law on books and on money asks for them."),
        _("%(years)s years after the closing, at least."),
    ),
    (
        _("Your PAN (encrypted), your tax residence and the tax withheld"),
        _("Tax law asks for them."),
        _("%(years)s years after the closing, at least."),
    ),
    (
        _("Pictures of your documents (encrypted)"),
        _("To show that we checked them."),
        _("%(days)s days after the decision about them; then they are deleted."),
    ),
    (
        _("Your name as on the documents, birth date and where you lived"),
        _("To show that you were allowed to play."),
        _("%(years)s years after the closing, at least."),
    ),
    (
        _(
            "Breaks, self-exclusions and limits you set, with a fingerprint of your e-mail "
            "address and, of a self-exclusion, your mobile number (encrypted)"
        ),
        _("So that they hold if you come back."),
        _("As long as they last; a self-exclusion for good stays for good."),
    ),
    (
        _("What our staff did about your account"),
        _("So that it can be checked later."),
        _("%(years)s years after the closing, at least."),
    ),
    (
        _("Messages between you and our staff"),
        _("They answer complaints that come later."),
        _("%(years)s years after the closing, at least."),
    ),
)


def kept() -> list[tuple[str, str, str]]:
    """Return the table in the active language, with this installation's periods."""
    periods = {"days": settings.IDENTITY_DOCUMENT_DAYS, "years": settings.RECORDS_KEPT_YEARS}
    return [(str(what), str(why), str(until) % periods) for what, why, until in KEPT]
