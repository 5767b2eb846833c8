"""The project's deployment checks, run by `manage.py check --deploy`."""

from collections.abc import Iterable
from importlib import import_module
from typing import Any, Final

from django.conf import settings
from django.contrib.admin.checks import check_admin_app
from django.core import checks
from django.core.checks import CheckMessage, Error, Tags, register
from django.utils.translation import gettext as _

from config.environment import env
from players.eligibility.places.geoip_files import Gap, UnusableFile, gaps

UNSENT_MAIL: Final = frozenset(
    f"django.core.mail.backends.{name}.EmailBackend"
    for name in ("console", "dummy", "filebased", "locmem")
)


# Settings that only some commands, the demo or the tests read.
READ_ELSEWHERE: Final = frozenset(
    {"DATABASE_OWNER_URL", "DATABASE_POOL_MAX", "DATABASE_ROLE", "DEMO_PASSWORD"}
)
# Shorter names are too similar to variables of other programs.
LETTERS_MIN: Final = 8


def misspelt(names: Iterable[str], known: Iterable[str]) -> list[tuple[str, str]]:
    """Return each name that differs from a setting's by one letter, with that setting.

    One letter may be missing, added, replaced or moved; case is ignored. Names that differ by more
    belong to other programs: DATABASE_USER is not a misspelt DATABASE_URL.

    >>> misspelt(["REDIS_URI", "REDIS_PORT", "CASH_CURRENCIEZ"], ["CASH_CURRENCIES", "REDIS_URL"])
    [('CASH_CURRENCIEZ', 'CASH_CURRENCIES'), ('REDIS_URI', 'REDIS_URL')]
    """
    settings = READ_ELSEWHERE.union(known)
    shortened = {short: setting for setting in sorted(settings) for short in _shortened(setting)}
    found = []
    for name in sorted(set(names) - settings):
        meant = {shortened[short] for short in _shortened(name.upper()) if short in shortened}
        if meant and len(name) >= LETTERS_MIN:
            found.append((name, min(meant)))
    return found


def _shortened(name: str) -> set[str]:
    """Return the name, and the name without each one of its letters."""
    return {name, *(name[:place] + name[place + 1 :] for place in range(len(name)))}


@register(Tags.admin)
def check_registered_admin(**kwargs: Any) -> list[CheckMessage]:
    """Run the admin's own checks after its pages are registered, which `config.urls` does."""
    import_module(settings.ROOT_URLCONF)
    return check_admin_app(**kwargs)


@register("settings")
def check_names_of_settings(**kwargs: Any) -> list[CheckMessage]:
    """Refuse a variable whose name is a misspelt setting: it would be ignored."""
    return [
        Error(
            _("%(name)s is not a setting; did you mean %(meant)s?")
            % {"name": name, "meant": meant},
            hint=_("Correct its name in the environment or in .env, or remove it."),
            id="config.E013",
        )
        for name, meant in misspelt(env.ENVIRON, env.names)
    ]


@register(Tags.security, deploy=True)
def check_deals_cannot_be_foreseen(**kwargs: Any) -> list[CheckMessage]:
    if settings.SIMULATION_SEED:
        return [
            Error(
                _("SIMULATION_SEED is set: every deal is predictable."),
                hint=_("Unset it; only `manage.py simulate` may use it."),
                id="config.E001",
            )
        ]
    return []


@register(Tags.security, deploy=True)
def check_deal_keys_are_set(**kwargs: Any) -> list[CheckMessage]:
    if not settings.DEAL_KEYS:
        return [
            Error(_("DEAL_KEYS is empty: seeds of deals cannot be encrypted."), id="config.E002")
        ]
    return []


@register(Tags.security, deploy=True)
def check_payee_keys_are_set(**kwargs: Any) -> list[CheckMessage]:
    if not settings.PAYEE_KEYS:
        return [
            Error(_("PAYEE_KEYS is empty: bank accounts cannot be encrypted."), id="config.E003")
        ]
    return []


@register(Tags.security, deploy=True)
def check_identity_keys_are_set(**kwargs: Any) -> list[CheckMessage]:
    if not settings.IDENTITY_KEYS:
        return [
            Error(_("IDENTITY_KEYS is empty: documents cannot be encrypted."), id="config.E014")
        ]
    return []


@register(Tags.security, deploy=True)
def check_mail_is_sent(**kwargs: Any) -> list[CheckMessage]:
    """Refuse an e-mail backend that prints: sign-in codes and links would be in the log."""
    if settings.EMAIL_CONFIG["EMAIL_BACKEND"] in UNSENT_MAIL:
        return [
            Error(
                _(
                    "EMAIL_URL sends no e-mail: codes, links and notices would be printed or"
                    " dropped."
                ),
                hint=_("Set it to a mail server: EMAIL_URL=smtp+tls://user:password@host:587."),
                id="config.E019",
            )
        ]
    return []


@register(Tags.security, deploy=True)
def check_contact_address_is_set(**kwargs: Any) -> list[CheckMessage]:
    if not settings.CONTACT_EMAIL:
        return [
            Error(
                _("CONTACT_EMAIL is empty: pages, e-mails and statements name no address."),
                hint=_("Set it to the address of your support: CONTACT_EMAIL=help@example.com."),
                id="config.E020",
            )
        ]
    return []


@register(Tags.security, deploy=True)
def check_staff_need_a_second_factor(**kwargs: Any) -> list[CheckMessage]:
    if not settings.STAFF_MFA_REQUIRED:
        hint = _("Set STAFF_MFA_REQUIRED=1: otherwise a password alone opens the staff pages.")
        return [
            checks.Warning(_("Staff sign in without a second factor."), hint=hint, id="config.W001")
        ]
    return []


@register(Tags.security, deploy=True)
def check_geoip_file_is_complete(**kwargs: Any) -> list[CheckMessage]:
    ids = {Gap.REGIONS: "config.W014", Gap.IPV4: "config.W015", Gap.IPV6: "config.W016"}
    hint = _("Use a file with cities, or one for each IP version: GEOIP_FILE=ipv4.mmdb,ipv6.mmdb.")
    try:
        found = gaps(settings.GEOIP_FILE)
    except UnusableFile as error:
        return [Error(f"GEOIP_FILE: {error}", id="config.E016")]
    return [
        checks.Warning(f"GEOIP_FILE: {_(gap.meaning)}.", hint=hint, id=ids[gap]) for gap in found
    ]


@register(Tags.security, deploy=True)
def check_unknown_regions_are_refused(**kwargs: Any) -> list[CheckMessage]:
    if settings.GEOIP_FILE and settings.GEOIP_UNKNOWN_REGION != "refuse":
        return [
            checks.Warning(
                _(
                    "GEOIP_UNKNOWN_REGION=declared: where no file has a player's region, the region"
                    " they declared decides, so players in closed regions may play for money."
                ),
                hint=_("Read docs/law.md, “Where”, with your lawyers, or set it to refuse."),
                id="config.W017",
            )
        ]
    return []
