"""Kinds of tables that the lobby offers."""

from __future__ import annotations

from tables.lobby.table_templates import profiles
from tables.models.templates import TableTemplate
from tests.builders.tables.making import make_rules, make_table


def make_practice(**overrides):
    fields = {"bots_fill": True, "name": "Practice", "rake_bps": 0}
    return make_table(**(fields | overrides))


def make_template(**overrides):
    fields = {
        "slug": "duel",
        "name": "Duel",
        "profile": profiles.register_profile(make_rules()),
        "seats_max": 2,
        "entry_minor": 100_00,
        "rake_bps": 1_000,
    }
    return TableTemplate.objects.create(**(fields | overrides))


FIELDS = {
    "name": "Evening pool",
    "slug": "evening-pool",
    "base": "total-rummy-pool-101",
    "is_offered": "on",
    "bot_strength": "greedy",
    "seats_min": 2,
    "seats_max": 6,
    "currency": "PTS",
    "entry": "100.00",
    "rake_bps": 10,
}
