"""Tournament templates and the first season of a new demo."""

from __future__ import annotations

from datetime import time, timedelta
from typing import Any, Final

from django.utils import timezone
from django.utils.translation import gettext_noop as _

import rummy
from players.accounts.models import User
from rummy import AnyRules
from tables.games import PROFILES
from tables.lobby.table_templates import profiles
from tournaments.leagues import seasons
from tournaments.leagues.models import Season
from tournaments.planning import opening
from tournaments.planning.template_models import TournamentTemplate
from tournaments.planning.terms_models import KindName, StartRule
from wallet.ledger.money import PLAY_POINTS

# Short pauses between the deals of practice games.
QUICK_TIMERS: Final = {"gap_seconds": 4, "toss_seconds": 3, "start_seconds": 3}
SEASON: Final = timedelta(days=28)
EVERY_DAY: Final = [0, 1, 2, 3, 4, 5, 6]

PRACTICE: Final[dict[str, Any]] = {
    "start_rule": StartRule.WHEN_FULL,
    "bots_fill": True,
    "entry_minor": 50_00,
    "rake_bps": 0,
}
THREE_TABLES: Final = {"seats": 3, "qualify": 1, "final_seats": 3, "entrants_max": 9}
TWO_PAIRS: Final = {"seats": 2, "qualify": 1, "final_seats": 2, "entrants_max": 4}

OFFERS: Final[tuple[tuple[str, str, str, dict[str, Any]], ...]] = (
    (
        "practice-knockout-61",
        _("Practice knock-out 61"),
        "total-rummy-pool-61",
        PRACTICE | THREE_TABLES,
    ),
    (
        "practice-heads-up",
        _("Practice heads-up, best of 2"),
        "total-rummy-best-of-2",
        PRACTICE | TWO_PAIRS,
    ),
    (
        "practice-points-chips",
        _("Practice points for chips"),
        "points-for-chips",
        PRACTICE | THREE_TABLES,
    ),
    (
        "practice-straight",
        _("Practice straight rummy, knock-out"),
        "straight",
        PRACTICE | THREE_TABLES,
    ),
    (
        "practice-race",
        _("Practice points race, 5 minutes"),
        "total-rummy-pool-101",
        PRACTICE | THREE_TABLES | {"kind": KindName.RACE, "round_minutes": 5},
    ),
    (
        "practice-balanced-61",
        _("Practice knock-out 61, balanced tables"),
        "total-rummy-pool-61",
        PRACTICE | THREE_TABLES | {"kind": KindName.BALANCED},
    ),
    (
        "evening-knockout-101",
        _("Evening knock-out 101"),
        "total-rummy-pool-101",
        {
            "start_time": time(20),
            "weekdays": EVERY_DAY,
            "entry_minor": 100_00,
            "entrants_max": 500,
            "entrants_min": 3,
            "rake_bps": 1_000,
            "guarantee_minor": 1_000_00,
            "late_minutes": 10,
            "extend_minutes": 15,
        },
    ),
    (
        "evening-freeroll",
        _("Evening freeroll: tickets to the knock-out"),
        "total-rummy-pool-61",
        {
            "start_time": time(19),
            "weekdays": EVERY_DAY,
            "entry_minor": 0,
            "entrants_max": 200,
            "entrants_min": 3,
            "guarantee_minor": 500_00,
            "extend_minutes": 15,
            "awards": "evening-knockout-101",
        },
    ),
)


# Points rummy for chips: a fixed number of deals, the most chips win (RB 10.1).
POINTS_FOR_CHIPS: Final = rummy.profile("total-rummy-points").with_(
    name="points-for-chips", game="deals", deals=3, chips=240
)
BASES: Final[dict[str, AnyRules]] = {**PROFILES, POINTS_FOR_CHIPS.name: POINTS_FOR_CHIPS}


def furnish() -> None:
    """Create missing templates and open their announced tournaments; safe to repeat."""
    made = TournamentTemplate.objects.all()
    for slug, name, base, terms in OFFERS:
        rules = BASES[base]
        if TournamentTemplate.objects.filter(slug=slug).exists():
            continue
        TournamentTemplate.objects.create(
            slug=slug,
            name=name,
            profile=profiles.register_profile(quick(rules) if terms.get("bots_fill") else rules),
            currency=PLAY_POINTS,
            **terms | ({"awards": made.get(slug=terms["awards"])} if "awards" in terms else {}),
        )
    opening.keep_scheduled(timezone.now())


def plan_season(*, by: User) -> None:
    """Plan the first season, which counts games with bots, and a series; the sweep opens them."""
    if Season.objects.exists():
        return
    now = timezone.now()
    season = Season(
        name=_("Practice season"),
        starts_at=now,
        ends_at=now + SEASON,
        with_bots=True,
        pools_minor=[5_000_00, 2_000_00],
        promoted=3,
        relegated=3,
    )
    evening = TournamentTemplate.objects.filter(slug__startswith="evening-")
    series = Season(
        name=_("Evening series"),
        starts_at=now,
        ends_at=now + SEASON,
        templates=list(evening.order_by("pk").values_list("pk", flat=True)),
        pools_minor=[3_000_00],
    )
    for each in (season, series):
        seasons.plan_season(season=each, by=by)


def quick(rules: AnyRules) -> AnyRules:
    """Return the rules with short pauses."""
    return rules.with_(name=f"{rules.name}-quick", **QUICK_TIMERS)
