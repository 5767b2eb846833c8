"""A player's financial year computed from the ledger: A, B, C, D and E of RB 11.4.

There are no counters: A and B are sums of entries, D is balances and stakes, E the withholdings in
force, and C the result of the year before. Under locks on the accounts the figures hold until
COMMIT; without locks they are for display.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Sum
from moneyed import Money

from players.accounts.models import User
from wallet.ledger.days import site_day
from wallet.ledger.models import Account, Entry, Transfer
from wallet.ledger.money import as_money, minor_units
from wallet.stakes.models import StakePartChange
from wallet.tax.arithmetic import (
    Figures,
    Rate,
    TaxParts,
    coverable,
    financial_year,
    first_day,
    last_day,
)
from wallet.tax.models import PayeeKind, TaxRate, Withholding
from wallet.tax.rates import rate_on
from wallet.tax.residence import payee_kind

# Bonus cannot be withdrawn; it counts once it has become winnings.
OWN = (Account.Kind.DEPOSIT, Account.Kind.WINNINGS)
OUTSIDE = (Account.Kind.GATEWAY_CLEARING, Account.Kind.SUSPENSE)
Kind = Transfer.Kind


@dataclass(frozen=True)
class YearEnd:
    """The end of a player's year: RB 11.4 with D, and how much of the tax can be collected."""

    year: int
    figures: Figures
    in_games: int
    payee: PayeeKind
    rate: Rate
    taxed: int

    @property
    def parts(self) -> TaxParts:
        return self.rate.of(self.taxed)

    @property
    def tax(self) -> int:
        return self.parts.total

    @property
    def carried(self) -> int:
        """Return C of the next year: it excludes net winnings that are not taxed yet."""
        return self.figures.closing - self.tax - (self.figures.net - self.taxed)


@dataclass(frozen=True)
class Assessment:
    """The tax of a withdrawal requested now, after the ends of unsettled years before it."""

    year: int
    figures: Figures
    payee: PayeeKind
    rate: Rate
    past: tuple[YearEnd, ...] = ()

    @property
    def parts(self) -> TaxParts:
        return self.rate.of(self.figures.net)

    @property
    def tax(self) -> int:
        return self.parts.total


@dataclass(frozen=True)
class Quote:
    """The payout of a withdrawal and its calculation."""

    amount: Money
    tax: Money
    assessment: Assessment | None

    @property
    def payout(self) -> Money:
        return self.amount - self.tax


def quote_withdrawal(*, player: User, amount: Money) -> Quote:
    """Return the tax of a withdrawal requested now; nothing is posted."""
    currency = amount.currency.code
    found = assess(player=player, currency=currency, asked=minor_units(amount), day=site_day())
    return Quote(amount, as_money(found.tax if found else 0, currency), found)


def assess(*, player: User, currency: str, asked: int, day: date) -> Assessment | None:
    """Return how a withdrawal on a day is taxed, or None if no tax is in force.

    Unsettled past years are computed as their settlement would compute them.
    """
    year = financial_year(day)
    payee = payee_kind(player, year)
    rate = rate_on(TaxRate.Tax.TDS, currency, day, payee=payee)
    if rate is None:
        return None
    past = tuple(unsettled_years(player, currency, before=year))
    opening = past[-1].carried if past and past[-1].year == year - 1 else None
    figures = year_figures(player, currency, year, opening=opening, asked=asked)
    at = rate.at(figures.taxed + figures.net)
    return Assessment(year=year, figures=figures, payee=payee, rate=at, past=past)


def year_figures(
    player: User, currency: str, year: int, *, opening: int | None = None, asked: int = 0
) -> Figures:
    """Return A, B, C and E of a year so far; D is needed only at its end."""
    late = late_returns(player, currency, year)
    start = opening_balance(player, currency, year) if opening is None else opening
    return Figures(
        withdrawn=asked + withdrawn(player, currency, year),
        deposited=own_deposits(player, currency, year),
        opening=start + late,
        taxed=taxed(player, currency, year),
    )


def unsettled_years(player: User, currency: str, *, before: int) -> Iterator[YearEnd]:
    """Yield the ends of unsettled years, oldest first."""
    settled = Withholding.objects.of_player(player).filter(
        currency=currency, reason=Withholding.Reason.YEAR_END
    )
    last = settled.order_by("-year").first()
    started = first_year(player, currency)
    if started is None:
        return
    available = sum(account.balance_minor for account in _own_accounts(player, currency))
    carried = last.carried_minor if last else None
    owed = 0
    for year in range(last.year + 1 if last else started, before):
        payee = payee_kind(player, year)
        rate = rate_on(TaxRate.Tax.TDS, currency, last_day(year), payee=payee)
        if rate is None:
            carried = None
            continue
        taxed_by, left = (payee, rate), available - owed
        end = _year_end(
            player, currency, year, taxed_by, opening=carried, available=left, owed=owed
        )
        carried, owed = end.carried, owed + end.tax
        yield end


def _year_end(
    player: User,
    currency: str,
    year: int,
    taxed_by: tuple[PayeeKind, TaxRate],
    *,
    opening: int | None,
    available: int,
    owed: int,
) -> YearEnd:
    """Compute the end of a year; `owed` is tax of earlier years still to be collected.

    Money that was in a game at the end of the year pays no tax for it, even if it has been returned
    since; the tax never exceeds the player's current balance.
    """
    so_far = year_figures(player, currency, year, opening=opening)
    balance, in_games = closing_balance(player, currency, last_day(year))
    available = max(0, min(available, balance - owed))
    figures = replace(so_far, closing=balance + in_games - owed)
    payee, dated = taxed_by
    rate = dated.at(figures.taxed + figures.net)
    return YearEnd(
        year=year,
        figures=figures,
        in_games=in_games,
        payee=payee,
        rate=rate,
        taxed=coverable(figures.net, rate, available),
    )


def withdrawn(player: User, currency: str, year: int) -> int:
    """Return A: withdrawals of the year including tax, less those returned in the same year."""
    came_back = Q(
        transfer__reverses__kind=Kind.WITHDRAWAL,
        transfer__reverses__booked_on__gte=first_day(year),
    )
    return -_sum(_entries(player, currency, year).filter(_of(Kind.WITHDRAWAL) | came_back))


def late_returns(player: User, currency: str, year: int) -> int:
    """Return what was returned from withdrawals of earlier years, less the part taxed then.

    Those years are over, and the player has the money and its tax again: own money counts as
    opening
    balance (C); winnings do not, and are taxed when they are withdrawn again.
    """
    late = _entries(player, currency, year).filter(
        transfer__reverses__kind=Kind.WITHDRAWAL,
        transfer__reverses__booked_on__lt=first_day(year),
    )
    rows = Withholding.objects.filter(transfer__in=late.values("transfer__reverses"))
    return _sum(late) - (rows.aggregate(total=Sum("taxed_minor"))["total"] or 0)


def own_deposits(player: User, currency: str, year: int) -> int:
    """Return B: the player's deposits from outside, including corrections of them.

    Grants by the site are not deposits, whatever their bucket.
    """
    entries = _entries(player, currency, year, kinds=(*OWN, Account.Kind.RECEIVABLE))
    outside = Entry.objects.filter(
        transfer=OuterRef("transfer"), account__kind__in=OUTSIDE
    ).order_by()
    corrected = _of(Kind.ADJUSTMENT) | Q(transfer__reverses__kind=Kind.ADJUSTMENT)
    # Reversed payments are not deposits, whether the player still holds the money or owes it.
    paid_in = _of(Kind.DEPOSIT) | _of(Kind.CHARGEBACK)
    paid_in |= Q(transfer__reverses__kind__in=(Kind.DEPOSIT, Kind.CHARGEBACK))
    return _sum(entries.filter(paid_in)) + _sum(entries.filter(corrected).filter(Exists(outside)))


def taxed(player: User, currency: str, year: int) -> int:
    """Return E: net winnings taxed at withdrawals of the year that were not returned in it."""
    rows = Withholding.objects.of_player(player).filter(
        currency=currency, year=year, reason=Withholding.Reason.WITHDRAWAL
    )
    in_force = rows.exclude(transfer__reversed_by__booked_on__lte=last_day(year))
    return in_force.aggregate(total=Sum("taxed_minor"))["total"] or 0


def opening_balance(player: User, currency: str, year: int) -> int:
    """Return C from the settlement of the year before, or from its last balance."""
    ended = Withholding.objects.of_player(player).filter(
        currency=currency, year=year - 1, reason=Withholding.Reason.YEAR_END
    )
    if row := ended.first():
        return row.carried_minor
    return sum(closing_balance(player, currency, last_day(year - 1)))


def closing_balance(player: User, currency: str, day: date) -> tuple[int, int]:
    """Return what a player had at the end of a day: in deposit and winnings, and in games.

    A stake counts until a change booked on that day or before records that it was lost or returned.
    Tax of an earlier year collected later is subtracted. The result is final once the day is
    closed.
    """
    earlier = Withholding.objects.of_player(player).filter(
        currency=currency,
        reason=Withholding.Reason.YEAR_END,
        year__lt=financial_year(day),
        transfer__booked_on__gt=day,
    )
    balance = -(earlier.aggregate(total=Sum("tax_minor"))["total"] or 0)
    mine = _own_accounts(player, currency)
    for account in mine:
        by_then = Entry.objects.filter(account=account, transfer__booked_on__lte=day)
        last = by_then.order_by("-account_version").values_list("balance_after_minor", flat=True)
        balance += last.first() or 0
    changes = StakePartChange.objects.filter(account__in=mine, booked_on__lte=day)
    left = Sum(F("amount_minor") - F("consumed_minor") - F("returned_minor"))
    return balance, changes.aggregate(total=left)["total"] or 0


def _of(kind: str) -> Q:
    return Q(transfer__kind=kind)


def _own_accounts(
    player: User, currency: str, kinds: Sequence[Account.Kind] = OWN
) -> list[Account]:
    mine = Account.objects.of_player(player).filter(currency=currency, kind__in=kinds)
    return list(mine.order_by("pk"))


def _entries(
    player: User, currency: str, year: int, kinds: Sequence[Account.Kind] = OWN
) -> QuerySet[Entry]:
    mine = [account.pk for account in _own_accounts(player, currency, kinds)]
    days = (first_day(year), last_day(year))
    return Entry.objects.filter(account__in=mine, transfer__booked_on__range=days)


def _sum(entries: QuerySet[Entry]) -> int:
    return entries.aggregate(total=Sum("amount_minor"))["total"] or 0


def first_year(player: User, currency: str) -> int | None:
    opened = Entry.objects.filter(
        account__in=_own_accounts(player, currency), account_version=1
    ).values_list("transfer__booked_on", flat=True)
    return min(map(financial_year, opened), default=None)
