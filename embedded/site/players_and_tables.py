"""What a demo opens with: players, staff and the lobby's tables."""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from allauth.account.models import EmailAddress
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from embedded.site import tournaments as demo_tournaments
from players.accounts.models import User
from players.eligibility import models as eligibility
from players.eligibility.regions import offer_in
from rummy import AnyRules
from tables.games import PROFILES, game_of, opening
from tables.offers import actions as templates
from tables.table.profile_models import BotStrength, TableTemplate
from wallet.bonuses import play_points
from wallet.ledger.money import PLAY_POINTS

PLAYERS = ("asha", "ravi")
QUICK_TIMERS = {"gap_seconds": 4, "toss_seconds": 3, "start_seconds": 3}

Offer = tuple[str, str, str, dict[str, Any]]
# Practice with bots for every variant, tables on which people meet, and two for money.
OFFERS: Final[tuple[Offer, ...]] = (
    (
        "practice-101",
        _("Practice pool 101"),
        "total-rummy-pool-101",
        {"price": 100_00, "seats": 4, "bots": "greedy"},
    ),
    (
        "practice-101-duel",
        _("Practice duel 101"),
        "total-rummy-pool-101",
        {"price": 50_00, "seats": 2, "bots": "strong"},
    ),
    (
        "practice-61",
        _("Practice pool 61"),
        "total-rummy-pool-61",
        {"price": 50_00, "seats": 4, "bots": "random"},
    ),
    (
        "practice-201",
        _("Practice pool 201"),
        "total-rummy-pool-201",
        {"price": 100_00, "seats": 4, "bots": "greedy"},
    ),
    (
        "practice-points",
        _("Practice points"),
        "total-rummy-points",
        {"price": 50, "seats": 3, "bots": "greedy"},
    ),
    (
        "practice-best-of-2",
        _("Practice best of 2"),
        "total-rummy-best-of-2",
        {"price": 50_00, "seats": 2, "bots": "greedy"},
    ),
    (
        "practice-best-of-3",
        _("Practice best of 3"),
        "total-rummy-best-of-3",
        {"price": 50_00, "seats": 2, "bots": "greedy"},
    ),
    (
        "practice-best-of-6",
        _("Practice best of 6"),
        "total-rummy-best-of-6",
        {"price": 50_00, "seats": 4, "bots": "greedy"},
    ),
    (
        "practice-vengala-points",
        _("Practice Vengala points"),
        "vengala-points",
        {"price": 50, "seats": 5, "bots": "greedy"},
    ),
    (
        "practice-vengala-101",
        _("Practice Vengala 101"),
        "vengala-pool-101",
        {"price": 50_00, "seats": 4, "bots": "greedy"},
    ),
    (
        "practice-vengala-201",
        _("Practice Vengala 201"),
        "vengala-pool-201",
        {"price": 50_00, "seats": 4, "bots": "greedy"},
    ),
    (
        "practice-straight",
        _("Practice straight rummy"),
        "straight",
        {"price": 50_00, "seats": 4, "bots": "greedy"},
    ),
    (
        "practice-vip-straight",
        _("Practice VIP straight"),
        "vip-straight",
        {"price": 50_00, "seats": 4, "bots": "strong"},
    ),
    (
        "straight-points",
        _("Straight rummy for play points"),
        "straight",
        {"price": 100_00, "seats": 4},
    ),
    (
        "vip-straight-points",
        _("VIP straight for play points"),
        "vip-straight",
        {"price": 100_00, "seats": 4},
    ),
    (
        "pool-101-points",
        _("Pool 101 for play points"),
        "total-rummy-pool-101",
        {"price": 250_00, "seats": 6, "quick": False},
    ),
    (
        "duel-101-points",
        _("Duel 101 for play points"),
        "total-rummy-pool-101",
        {"price": 100_00, "seats": 2},
    ),
    (
        "pool-61-points",
        _("Pool 61 for play points"),
        "total-rummy-pool-61",
        {"price": 100_00, "seats": 6, "quick": False},
    ),
    (
        "pool-201-points",
        _("Pool 201 for play points"),
        "total-rummy-pool-201",
        {"price": 250_00, "seats": 6, "quick": False},
    ),
    (
        "points-points",
        _("Points at 1.00 for play points"),
        "total-rummy-points",
        {"price": 1_00, "seats": 6},
    ),
    (
        "rummycentral-points",
        _("RummyCentral points at 0.50"),
        "rummycentral-points",
        {"price": 50, "seats": 6},
    ),
    (
        "best-of-3-points",
        _("Best of 3 for play points"),
        "total-rummy-best-of-3",
        {"price": 100_00, "seats": 2},
    ),
    (
        "vengala-101-points",
        _("Vengala 101 for play points"),
        "vengala-pool-101",
        {"price": 100_00, "seats": 5},
    ),
    (
        "duel-101-cash",
        _("Duel 101 for ₹50"),
        "total-rummy-pool-101",
        {"price": 50_00, "seats": 2, "currency": "INR"},
    ),
    (
        "points-cash",
        _("Points at ₹0.50"),
        "total-rummy-points",
        {"price": 50, "seats": 6, "currency": "INR"},
    ),
)


def furnish(*, password: str) -> None:
    """Make what is missing; what is there already stays as it is."""
    # Where the demo's players live: they pay in at the sandbox and sit at the tables for money.
    if offer_in("IN", "KA") == eligibility.Offer.PROHIBITED:
        eligibility.Region.objects.create(
            country="IN",
            region="KA",
            offer=eligibility.Offer.ALLOWED,
            begins_at=timezone.now(),
            reason="The demo's money is made up",
        )
    for handle in PLAYERS:
        _make_player(handle, password)
    _make_player("admin", password, is_superuser=True)
    for slug, name, base, more in OFFERS:
        _offer(slug, name, PROFILES[base], **more)
    demo_tournaments.furnish()
    opening.keep_lobby_stocked()


def _make_player(handle: str, password: str, *, is_superuser: bool = False) -> None:
    email = f"{handle}@example.com"
    known = User.objects.filter(email__iexact=email).first()
    player = known or _new_player(handle, email, password, is_superuser)
    # Play for money asks for a verified address.
    address = {"email": email, "verified": True, "primary": True}
    EmailAddress.objects.update_or_create(user=player, email__iexact=email, defaults=address)


def _new_player(handle: str, email: str, password: str, is_superuser: bool) -> User:
    create = User.objects.create_superuser if is_superuser else User.objects.create_user
    player = create(
        handle=handle,
        email=email,
        password=password,
        birth_date=date(1990, 1, 1),
        country="IN",
        region="KA",
    )
    play_points.grant_sign_up(player=player)
    return player


def _offer(
    slug: str,
    name: str,
    base: AnyRules,
    *,
    price: int,
    seats: int,
    bots: str = "",
    quick: bool = True,
    currency: str = PLAY_POINTS,
) -> None:
    """Offer a table of this house; `price` is its entry, or the value of a point.

    `bots` says how well the bots of a practice table play; without it people meet there.
    """
    if TableTemplate.objects.filter(slug=slug).exists():
        return
    rules = base.with_(name=f"{base.name}-quick", **QUICK_TIMERS) if quick else base
    terms = game_of(rules).price(rules, price)
    templates.save_template(
        template=TableTemplate(
            slug=slug,
            name=name,
            seats_max=seats,
            entry_minor=terms.entry_minor,
            point_value_minor=terms.point_value_minor,
            currency=currency,
            rake_bps=0 if bots else 1_000,
            bots_fill=bool(bots),
            bot_strength=bots or BotStrength.GREEDY,
        ),
        rules=rules,
    )
