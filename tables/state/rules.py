"""The rules of a table, parsed from their stored text, and their names."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.utils.translation import gettext_noop

import rummy
from core.db.statements import model_from_row
from core.text_validation import PARTS, named
from tables.models.tables import Table
from tables.models.templates import RuleProfile

# The prefix of a profile's name, and the site whose rules it has.
RULE_SETS = {
    "total-rummy-": gettext_noop("Total Rummy"),
    "rummycentral-": gettext_noop("RummyCentral"),
    "vengala-": gettext_noop("Vengala"),
    "vip-high-ace-": gettext_noop("VIP Games, high ace"),
    "vip-": gettext_noop("VIP Games"),
}
# First words of variant names (`Pool 101`). Stored in English, translated by `named`.
GAMES = (
    gettext_noop("Pool"),
    gettext_noop("Points"),
    gettext_noop("Deals"),
    gettext_noop("Straight"),
)


def rules_of(profile: RuleProfile) -> rummy.AnyRules:
    return _rules(profile.text)


def rules_called(name: str, version: int | None = None) -> rummy.AnyRules | None:
    """Return the stored rules of this name: the given version, or the latest one.

    Rules that no table has used yet come from the library; None if the name is unknown.
    """
    stored = RuleProfile.objects.filter(name=name)
    if version is not None:
        stored = stored.filter(version=version)
    if profile := stored.order_by("-version").first():
        return rules_of(profile)
    rules = rummy.ALL_PROFILES.get(name)
    return rules if rules is not None and version in (None, rules.version) else None


def family_of(profile: RuleProfile) -> rummy.AnyFamily:
    """Return the `rummy` family of these rules; tables never read a state's internals."""
    return rummy.family_of(rules_of(profile))


def variant_of(profile: RuleProfile) -> str:
    return variant_name(rules_of(profile))


def variant_name(rules: rummy.AnyRules) -> str:
    """Return the players' name for these rules: `Pool 101`, `Deals 2`, `Points`."""
    return rules.variant


def title_of(rules: rummy.AnyRules) -> str:
    """Return the variant with the site that these rules are from, in the active language."""
    site = next((name for start, name in RULE_SETS.items() if rules.name.startswith(start)), "")
    return named(f"{site}{PARTS}{variant_name(rules)}" if site else variant_name(rules))


def table_label(table: Table) -> str:
    """Return the label of the table on statements: `Pool 101 · Practice duel`."""
    return f"{variant_of(table.profile)} · {table.name}"


@lru_cache(maxsize=256)
def _rules(text: str) -> rummy.AnyRules:
    return rummy.rules_from_text(text)


@lru_cache(maxsize=256)
def profile_from_row(values: tuple[Any, ...]) -> RuleProfile:
    """Return a profile from its columns, shared by tables: profiles never change (ADR 3)."""
    return model_from_row(RuleProfile, values)
