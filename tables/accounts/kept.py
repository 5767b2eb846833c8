"""The data kept of a closed account, with reasons and periods, as the page "Your data" shows it."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.utils.translation import gettext_lazy as _

# The retained data, the reason, and the last day.
KEPT: Final[tuple[tuple[Any, Any, Any], ...]] = (
    (
        _("Games you played, move by move"),
        _("They are also the other players' games, and prove that the deals were fair."),
        _("Permanently."),
    ),
    (
        _("Your transfers, deposits, withdrawals and bank accounts (encrypted)"),
        _("Required by accounting and money laundering law."),
        _("At least %(years)s years after closing."),
    ),
    (
        _("Your PAN (encrypted), your tax residence and the tax withheld"),
        _("Required by tax law."),
        _("At least %(years)s years after closing."),
    ),
    (
        _("Pictures of your documents (encrypted)"),
        _("To show that we checked them."),
        _("Deleted %(days)s days after the decision about them."),
    ),
    (
        _("Your name as on the documents, birth date and places of residence"),
        _("To show that you were allowed to play."),
        _("At least %(years)s years after closing."),
    ),
    (
        _(
            "Breaks, self-exclusions and limits you set, with a fingerprint of your e-mail address "
            "and, for a self-exclusion, your mobile number (encrypted)"
        ),
        _("So that they still apply if you come back."),
        _("As long as they last; permanent self-exclusions permanently."),
    ),
    (
        _("Staff actions on your account"),
        _("So that they can be checked later."),
        _("At least %(years)s years after closing."),
    ),
    (
        _("Reports that you sent about other players, and those about you"),
        _("So that staff can decide them, and check their decisions later."),
        _("At least %(years)s years after closing."),
    ),
    (
        _("Messages between you and our staff"),
        _("To answer later complaints."),
        _("At least %(years)s years after closing."),
    ),
)


def kept() -> list[tuple[str, str, str]]:
    """Return the table in the active language, with this installation's periods."""
    periods = {"days": settings.IDENTITY_DOCUMENT_DAYS, "years": settings.RECORDS_KEPT_YEARS}
    return [(str(what), str(why), str(until) % periods) for what, why, until in KEPT]
