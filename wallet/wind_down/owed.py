"""Money owed to players who live where play for money is closed (RB 11.6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from django.db.models import Count, F, Q, Sum

from players.accounts.region_codes import present_code
from players.eligibility.places.models import Offer
from players.eligibility.places.regions import region_in_force
from wallet.ledger.models import PLAYER_KINDS, Account
from wallet.stakes.models import Stake, StakePart
from wallet.wind_down.models import OwedLine, OwedReport

Kind = Account.Kind


def owed_in_wind_down(currency: str) -> Iterator[OwedLine]:
    """Yield places where play for money is closed and players have money, the largest first.

    The lines and their report are not saved; `since` is when the offer began.
    """
    report = OwedReport(currency=currency)
    accounts = Account.objects.filter(
        currency=currency, kind__in=PLAYER_KINDS, player__is_bot=False
    )
    found = accounts.values_list("player__country", "player__region").annotate(
        people=Count("player", distinct=True, filter=~Q(balance_minor=0)),
        wallets=_sum_of(Kind.DEPOSIT, Kind.WINNINGS),
        withdrawals=_sum_of(Kind.WITHDRAWAL_HOLD),
        bonuses=_sum_of(Kind.BONUS, Kind.LOCKED_BONUS),
    )
    sums: dict[tuple[str, str], list[int]] = {}
    for country, region, *figures in found.order_by():
        place = country, present_code(country, region)
        before = sums.get(place, [0] * len(figures))
        sums[place] = [one + other for one, other in zip(before, figures, strict=True)]
    in_games = _in_games(currency)
    for (country, region), (people, *minor) in sorted(sums.items(), key=_most_first):
        row = region_in_force(country, region)
        offer = Offer(row.offer) if row else Offer.POINTS
        held = in_games[country, region]
        if offer != Offer.ALLOWED and any([*minor, held]):
            wallets, withdrawals, bonuses = minor
            line = OwedLine(
                report=report,
                country=country,
                region=region,
                offer=offer,
                players=people,
                wallets_minor=wallets,
                withdrawals_minor=withdrawals,
                bonuses_minor=bonuses,
                in_games_minor=held,
            )
            line.since = row.begins_at if row else None
            yield line


def _most_first(place: tuple[tuple[str, str], list[int]]) -> tuple[int, ...]:
    """Return the sort key of a place: wallets, then withdrawals."""
    _, (_people, wallets, withdrawals, *_rest) = place
    return -wallets, -withdrawals


def _sum_of(*kinds: Account.Kind) -> Sum:
    return Sum("balance_minor", filter=Q(kind__in=kinds), default=0)


def _in_games(currency: str) -> Counter[tuple[str, str]]:
    """Return players' money in unfinished games, by place of residence."""
    parts = StakePart.objects.filter(
        stake__in=Stake.objects.live(), account__currency=currency, stake__player__is_bot=False
    )
    left = F("amount_minor") - F("consumed_minor") - F("returned_minor")
    sums = parts.values_list("stake__player__country", "stake__player__region")
    found: Counter[tuple[str, str]] = Counter()
    for country, region, held in sums.annotate(held=Sum(left)).order_by():
        found[country, present_code(country, region)] += int(held)
    return found
