"""Players, staff and lobby tables of a new demo."""

from __future__ import annotations

from datetime import date
from typing import Final, NamedTuple

from allauth.account.models import EmailAddress
from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from core import audit_log
from devtools.demo_site import tournaments as demo_tournaments
from players.accounts import consent
from players.accounts.models import User
from players.eligibility.places import models as places
from players.eligibility.places.regions import offer_in
from players.identity.checks import VALID_FOR
from players.identity.models import IdentityCheck
from tables.games import PROFILES, game_of, opening
from tables.lobby.table_templates import actions as templates
from tables.models.templates import BotStrength, TableTemplate
from wallet.bonuses import play_points
from wallet.ledger.money import PLAY_POINTS

PLAYERS = ("asha", "ravi")


class Offer(NamedTuple):
    """A lobby table; `price` is its entry or the value of a point, in minor units.

    `bots` is the strength of a practice table's bots; without it the table is for people.
    """

    slug: str
    name: str
    profile: str
    price: int
    seats: int
    bots: str = ""
    quick: bool = True
    currency: str = PLAY_POINTS


# Practice tables with bots for every variant, tables for people, and two for money.
OFFERS: Final = (
    Offer("practice-101", _("Practice pool 101"), "total-rummy-pool-101", 100_00, 4, "greedy"),
    Offer("practice-101-duel", _("Practice duel 101"), "total-rummy-pool-101", 50_00, 2, "strong"),
    Offer("practice-61", _("Practice pool 61"), "total-rummy-pool-61", 50_00, 4, "random"),
    Offer("practice-201", _("Practice pool 201"), "total-rummy-pool-201", 100_00, 4, "greedy"),
    Offer("practice-points", _("Practice points"), "total-rummy-points", 50, 3, "greedy"),
    Offer(
        "practice-best-of-2", _("Practice best of 2"), "total-rummy-best-of-2", 50_00, 2, "greedy"
    ),
    Offer(
        "practice-best-of-3", _("Practice best of 3"), "total-rummy-best-of-3", 50_00, 2, "greedy"
    ),
    Offer(
        "practice-best-of-6", _("Practice best of 6"), "total-rummy-best-of-6", 50_00, 4, "greedy"
    ),
    Offer(
        "practice-vengala-points", _("Practice Vengala points"), "vengala-points", 50, 5, "greedy"
    ),
    Offer(
        "practice-vengala-101", _("Practice Vengala 101"), "vengala-pool-101", 50_00, 4, "greedy"
    ),
    Offer(
        "practice-vengala-201", _("Practice Vengala 201"), "vengala-pool-201", 50_00, 4, "greedy"
    ),
    Offer("practice-straight", _("Practice straight rummy"), "straight", 50_00, 4, "greedy"),
    Offer("practice-vip-straight", _("Practice VIP straight"), "vip-straight", 50_00, 4, "strong"),
    Offer(
        "practice-vip-high-ace",
        _("Practice VIP straight, high ace"),
        "vip-high-ace-straight",
        50_00,
        4,
        "greedy",
    ),
    Offer("straight-points", _("Straight rummy for play points"), "straight", 100_00, 4),
    Offer("vip-straight-points", _("VIP straight for play points"), "vip-straight", 100_00, 4),
    Offer(
        "pool-101-points",
        _("Pool 101 for play points"),
        "total-rummy-pool-101",
        250_00,
        6,
        quick=False,
    ),
    Offer("duel-101-points", _("Duel 101 for play points"), "total-rummy-pool-101", 100_00, 2),
    Offer(
        "pool-61-points",
        _("Pool 61 for play points"),
        "total-rummy-pool-61",
        100_00,
        6,
        quick=False,
    ),
    Offer(
        "pool-201-points",
        _("Pool 201 for play points"),
        "total-rummy-pool-201",
        250_00,
        6,
        quick=False,
    ),
    Offer("points-points", _("Points at 1.00 for play points"), "total-rummy-points", 1_00, 6),
    Offer("rummycentral-points", _("RummyCentral points at 0.50"), "rummycentral-points", 50, 6),
    Offer("best-of-3-points", _("Best of 3 for play points"), "total-rummy-best-of-3", 100_00, 2),
    Offer("vengala-101-points", _("Vengala 101 for play points"), "vengala-pool-101", 100_00, 5),
    Offer("duel-101-cash", _("Duel 101 for ₹50"), "total-rummy-pool-101", 50_00, 2, currency="INR"),
    Offer("points-cash", _("Points at ₹0.50"), "total-rummy-points", 50, 6, currency="INR"),
)


def furnish(*, password: str) -> None:
    """Create missing players and tables; leave existing ones unchanged."""
    # The region of the demo's players, where play for money is open.
    if offer_in("IN", "KA") == places.Offer.PROHIBITED:
        open_karnataka()
    for handle in PLAYERS:
        _make_player(handle, password)
    _make_player("admin", password, is_superuser=True)
    _verify_players()
    for each in OFFERS:
        make_offer(each)
    demo_tournaments.furnish()
    demo_tournaments.plan_season(by=User.objects.get(handle="admin"))
    opening.keep_lobby_stocked()


@transaction.atomic
def open_karnataka() -> None:
    """Add the region as the owner of the schema, because it has no request by staff."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        [role] = cursor.fetchone()
        cursor.execute("SELECT set_config('role', 'none', true)")
        places.Region.objects.create(
            country="IN",
            region="KA",
            offer=places.Offer.ALLOWED,
            withdrawal_needs_identity=True,
            begins_at=timezone.now(),
            reason="The demo's money is made up",
        )
        cursor.execute("SELECT set_config('role', %s, true)", [role])


def _make_player(handle: str, password: str, *, is_superuser: bool = False) -> None:
    email = f"{handle}@example.com"
    known = User.objects.filter(email__iexact=email).first()
    player = known or _new_player(handle, email, password, is_superuser)
    # Play for money requires a verified e-mail address.
    address = {"email": email, "verified": True, "primary": True}
    EmailAddress.objects.update_or_create(user=player, email__iexact=email, defaults=address)


@transaction.atomic
def _verify_players() -> None:
    """Verify the demo's players under their handles, so that they may withdraw."""
    admin, now = User.objects.get(handle="admin"), timezone.now()
    for player in User.objects.filter(handle__in=PLAYERS, identity_checks=None):
        check = IdentityCheck.objects.create(
            player=player,
            name=player.handle,
            document_kind=IdentityCheck.DocumentKind.PASSPORT,
            state=IdentityCheck.State.VERIFIED,
            submitted_at=now,
            decided_by=admin,
            decided_at=now,
            expires_at=now + VALID_FOR,
        )
        audit_log.record(by=admin, act=check.state, row=check, about=player)


def _new_player(handle: str, email: str, password: str, is_superuser: bool) -> User:
    create = User.objects.create_superuser if is_superuser else User.objects.create_user
    player = create(
        handle=handle,
        email=email,
        password=password,
        birth_date=date(1990, 1, 1),
        country="IN",
        region="KA",
        consent_version=consent.VERSION,
    )
    play_points.grant_sign_up(player=player)
    return player


def make_offer(offer: Offer) -> None:
    """Create an offer's table template if it is missing."""
    if TableTemplate.objects.filter(slug=offer.slug).exists():
        return
    base = PROFILES[offer.profile]
    rules = (
        base.with_(name=f"{base.name}-quick", **demo_tournaments.QUICK_TIMERS)
        if offer.quick
        else base
    )
    terms = game_of(rules).price(rules, offer.price)
    templates.save_template(
        template=TableTemplate(
            slug=offer.slug,
            name=offer.name,
            seats_max=offer.seats,
            entry_minor=terms.entry_minor,
            point_value_minor=terms.point_value_minor,
            currency=offer.currency,
            rake_bps=0 if offer.bots else 1_000,
            bots_fill=bool(offer.bots),
            bot_strength=offer.bots or BotStrength.GREEDY,
        ),
        rules=rules,
    )
