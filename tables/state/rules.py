"""The rules a table is played by, from their stored text."""

from __future__ import annotations

from functools import lru_cache

from django.utils.translation import gettext_noop

import rummy
from core.text_validation import PARTS, named
from tables.models.profiles import RuleProfile
from tables.models.tables import Table

# Whose rules a profile's name begins with.
RULE_SETS = {
    "total-rummy-": gettext_noop("Total Rummy"),
    "rummycentral-": gettext_noop("RummyCentral"),
    "vengala-": gettext_noop("Vengala"),
    "vip-high-ace-": gettext_noop("VIP Games, high ace"),
    "vip-": gettext_noop("VIP Games"),
}
# What variants begin with: `Pool 101`. They are stored in English and translated by `named`.
GAMES = (
    gettext_noop("Pool"),
    gettext_noop("Points"),
    gettext_noop("Deals"),
    gettext_noop("Straight"),
)


def rules_of(profile: RuleProfile) -> rummy.AnyRules:
    return _rules(profile.text)


def rules_called(name: str, version: int | None = None) -> rummy.AnyRules | None:
    """Return the rules of this name as stored, the latest version if none is named.

    Rules no table has used yet come from the library; None where nobody knows the name.
    """
    stored = RuleProfile.objects.filter(name=name)
    if version is not None:
        stored = stored.filter(version=version)
    if profile := stored.order_by("-version").first():
        return rules_of(profile)
    rules = rummy.ALL_PROFILES.get(name)
    return rules if rules is not None and version in (None, rules.version) else None


def family_of(profile: RuleProfile) -> rummy.AnyFamily:
    """Return the family of `rummy` that plays these rules; tables never look inside a state."""
    return rummy.family_of(rules_of(profile))


def variant_of(profile: RuleProfile) -> str:
    return variant_name(rules_of(profile))


def variant_name(rules: rummy.AnyRules) -> str:
    """Return what players call these rules: `Pool 101`, `Deals 2`, `Points`, `Straight 100`."""
    return rules.variant


def title_of(rules: rummy.AnyRules) -> str:
    """Return the variant after the house whose rules these are, in the active language."""
    house = next((name for start, name in RULE_SETS.items() if rules.name.startswith(start)), "")
    return named(f"{house}{PARTS}{variant_name(rules)}" if house else variant_name(rules))


def words_of(table: Table) -> str:
    """Return what a player reads about the table on a statement: `Pool 101 · Practice duel`."""
    return f"{variant_of(table.profile)} · {table.name}"


@lru_cache(maxsize=256)
def _rules(text: str) -> rummy.AnyRules:
    return rummy.rules_from_text(text)
