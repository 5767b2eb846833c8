"""What a demo opens with: players, staff and the lobby's tables."""

from __future__ import annotations

from datetime import date

from players.models import User
from rummy import PROFILES, Rules
from tables.models import TableTemplate
from tables.services import lobby, profiles
from wallet.services import play_points

PLAYERS = ("asha", "ravi")
QUICK_TIMERS = {"gap_seconds": 4, "toss_seconds": 3, "start_seconds": 3}


def furnish(*, password: str) -> None:
    """Make what is missing; what is there already stays as it is."""
    for handle in PLAYERS:
        _make_player(handle, password)
    _make_player("admin", password, is_staff=True, is_superuser=True)
    pool_101 = PROFILES["total-rummy-pool-101"]
    quick = pool_101.with_(name="total-rummy-pool-101-quick", **QUICK_TIMERS)
    _offer("practice-101", "Practice pool 101", quick, entry=100_00, seats=4, bots=True)
    _offer("practice-101-duel", "Practice duel 101", quick, entry=50_00, seats=2, bots=True)
    _offer("pool-101-points", "Pool 101 for play points", pool_101, entry=250_00, seats=6)
    _offer("duel-101-points", "Duel 101 for play points", quick, entry=100_00, seats=2)
    lobby.keep_lobby_stocked()


def _make_player(handle: str, password: str, **rights: bool) -> None:
    email = f"{handle}@example.com"
    if User.objects.filter(email__iexact=email).exists():
        return
    player = User.objects.create_user(
        handle=handle,
        email=email,
        password=password,
        birth_date=date(1990, 1, 1),
        country="IN",
        region="KA",
        **rights,
    )
    play_points.grant_sign_up(player=player)


def _offer(
    slug: str, name: str, rules: Rules, *, entry: int, seats: int, bots: bool = False
) -> None:
    TableTemplate.objects.get_or_create(
        slug=slug,
        defaults={
            "name": name,
            "profile": profiles.register_profile(rules),
            "seats_max": seats,
            "entry_minor": entry,
            "currency": "PTS",
            "rake_bps": 0 if bots else 1_000,
            "bots_fill": bots,
        },
    )
