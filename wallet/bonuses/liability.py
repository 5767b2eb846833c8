"""The operator's liability for bonuses: by mode, month of expiry and player, against the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, TruncMonth
from django.utils import timezone
from moneyed import Money

from wallet.bonuses.models import ACCOUNT_OF_MODE, BonusGrant, BonusGrantQuerySet, BonusMode
from wallet.ledger.models import Account
from wallet.ledger.money import as_money

CHUNK = 500
BONUS_KINDS = tuple(ACCOUNT_OF_MODE.values())


@dataclass(frozen=True)
class LiabilityRow:
    """Lots of one mode that end in one calendar month."""

    currency: str
    mode: BonusMode
    month: date
    lots: int
    left: Money
    # Spent on unfinished games; a cancelled game returns it to its lot.
    in_games: Money


@dataclass(frozen=True)
class LiabilityTotal:
    """All lots of one mode, and the balances of their accounts."""

    currency: str
    mode: BonusMode
    lots: Money
    ledger: Money

    @property
    def agrees(self) -> bool:
        return self.lots == self.ledger


def liability_by_month() -> list[LiabilityRow]:
    """Return the remainder of all lots, and what may be refunded to them, by month of expiry."""
    sums = _by_month(BonusGrant.objects.all(), "account__currency", "mode", "month")
    return [
        LiabilityRow(
            currency=row["account__currency"],
            mode=BonusMode(row["mode"]),
            month=row["month"].date(),
            lots=row["lots"],
            left=as_money(int(row["left"]), row["account__currency"]),
            in_games=as_money(int(row["in_games"]), row["account__currency"]),
        )
        for row in sums
    ]


def liability_totals() -> list[LiabilityTotal]:
    """Return sums of lots and balances, read in one statement so that they are consistent."""
    lots = BonusGrant.objects.filter(account=OuterRef("pk")).order_by().values("account")
    left = Subquery(lots.annotate(left=Sum("remaining_minor")).values("left"))
    held = Account.objects.filter(kind__in=BONUS_KINDS).annotate(lots=Coalesce(left, 0))
    sums = held.values("currency", "kind").order_by("currency", "kind")
    modes = {kind.value: mode for mode, kind in ACCOUNT_OF_MODE.items()}
    return [
        LiabilityTotal(
            currency=row["currency"],
            mode=modes[row["kind"]],
            lots=as_money(int(row["in_lots"]), row["currency"]),
            ledger=as_money(int(row["in_ledger"]), row["currency"]),
        )
        for row in sums.annotate(in_lots=Sum("lots"), in_ledger=Sum("balance_minor"))
    ]


COLUMNS = (
    "player",
    "currency",
    "mode",
    "month",
    "lots",
    "left_minor",
    "left",
    "in_games_minor",
    "in_games",
)


def liability_by_player() -> Iterator[list[dict[str, Any]]]:
    """Yield what each player is owed by mode and month, in chunks of accounts."""
    names = ("account", "account__player__public_id", "account__currency", "mode", "month")
    last = 0
    while True:
        later = Account.objects.filter(kind__in=BONUS_KINDS, pk__gt=last, version__gt=0)
        accounts = list(later.order_by("pk").values_list("pk", flat=True)[:CHUNK])
        if not accounts:
            return
        last = accounts[-1]
        rows = _by_month(BonusGrant.objects.filter(account__in=accounts), *names)
        yield [_line(row) for row in rows]


def _by_month(lots: BonusGrantQuerySet, *names: str) -> QuerySet[BonusGrant, Any]:
    month = TruncMonth("expires_at", tzinfo=timezone.get_default_timezone())
    owed = lots.owed().with_in_games().annotate(month=month)
    sums: QuerySet[BonusGrant, Any] = owed.order_by(*names).values(*names)
    return sums.annotate(
        lots=Count("pk"), left=Sum("remaining_minor"), in_games=Sum("in_games_minor")
    )


def _line(row: dict[str, Any]) -> dict[str, Any]:
    currency = row["account__currency"]
    return {
        "player": str(row["account__player__public_id"]),
        "currency": currency,
        "mode": row["mode"],
        "month": row["month"].strftime("%Y-%m"),
        "lots": row["lots"],
        "left_minor": int(row["left"]),
        "left": str(as_money(int(row["left"]), currency).amount),
        "in_games_minor": int(row["in_games"]),
        "in_games": str(as_money(int(row["in_games"]), currency).amount),
    }
