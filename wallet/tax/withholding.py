"""Withholding tax on winnings (RB 11.4): from withdrawals and at the end of a year.

The tax of a withdrawal is posted with its hold at the request: the hold is the payout, and its
reversal refunds the tax too. The caller holds the player's accounts, so that the second of two
concurrent requests includes the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, time

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _
from moneyed import Money

from players.accounts.models import User
from wallet.exceptions import TaxChanged, TaxTakesAll, WalletError, YearNotOver, YearStillOpen
from wallet.ledger import accounts, posting
from wallet.ledger.days import end_days, is_closed, site_day
from wallet.ledger.models import Account, Entry, Transfer
from wallet.ledger.money import as_money, as_text, minor_units
from wallet.tax.arithmetic import (
    Figures,
    Rate,
    TaxParts,
    financial_year,
    last_day,
    year_name,
)
from wallet.tax.assessment import OWN, Assessment, YearEnd, assess, unsettled_years
from wallet.tax.models import PayeeKind, TaxRate, Withholding
from wallet.tax.rates import rate_on
from wallet.tax.residence import payee_kinds
from wallet.withdrawals.models import Withdrawal

# Sharded, so that concurrent withdrawals do not wait for one balance.
SHARDS = 16

log = structlog.get_logger(__name__)


def payable_account(*, player: User, currency: str) -> Account:
    """Return the account for tax withheld from this player, always the same shard."""
    shard = player.pk % SHARDS
    return accounts.operator_account(kind=Account.Kind.TDS_PAYABLE, currency=currency, shard=shard)


def withhold(*, player: User, amount: Money, agreed_tax: Money) -> Assessment | None:
    """Return how a withdrawal is taxed; the accounts are locked and past years settled.

    Raise `TaxChanged` if the tax differs from what the player agreed to.
    """
    currency = amount.currency.code
    found = assess(player=player, currency=currency, asked=minor_units(amount), day=site_day())
    assert found is None or not found.past, "past years are settled first"
    tax = as_money(found.tax if found else 0, currency)
    if tax >= amount:
        raise TaxTakesAll(_("Enter a larger amount: tax would take all of it."))
    if tax != agreed_tax:
        text = _("The tax on this withdrawal is %(tax)s, you would get %(payout)s.")
        raise TaxChanged(text % {"tax": as_text(tax), "payout": as_text(amount - tax)})
    return found


def note_withdrawal(*, withdrawal: Withdrawal, found: Assessment) -> Withholding:
    """Save the calculation of a withdrawal, also without tax, since later ones build on it."""
    return _note(
        withdrawal.player,
        withdrawal.currency,
        found.year,
        found.figures,
        reason=Withholding.Reason.WITHDRAWAL,
        withdrawal=withdrawal,
        transfer=withdrawal.hold,
        taxed_minor=found.figures.net,
        payee=found.payee,
        **_taxed_at(found.rate, found.parts),
        deducted_on=withdrawal.hold.booked_on,
    )


@transaction.atomic
def settle_past_years(*, player: User, currency: str) -> list[Withholding]:
    """Tax the remainders of past years, oldest first, each once; locks the accounts.

    Debits winnings, then deposit. Money in games cannot pay: the net winnings concerned are
    excluded
    from the opening balance and taxed in the next year. Raise `YearStillOpen` in the minutes after
    a
    year's end while a transaction may still be booked in it.
    """
    mine = accounts.open_player_accounts(player=player, currency=currency)
    payable = payable_account(player=player, currency=currency)
    posting.lock([*mine.values(), payable])
    ends = list(unsettled_years(player, currency, before=financial_year(site_day())))
    if ends:
        _refuse_open(ends[-1].year)
    return [_settle(player, currency, end, payable) for end in ends]


@transaction.atomic(durable=True)
def settle_player(*, player_id: int, currency: str) -> list[Withholding]:
    """Settle a player's past years; does nothing if they are settled."""
    player = User.objects.get(pk=player_id)
    return settle_past_years(player=player, currency=currency)


def players_to_settle(*, currency: str, year: int) -> list[int]:
    """Return the players with money at the end of a year who are not settled for it."""
    end = last_day(year)
    taxed = {kind for kind in PayeeKind if rate_on(TaxRate.Tax.TDS, currency, end, payee=kind)}
    if not taxed:
        return []
    first = Entry.objects.filter(
        account=OuterRef("pk"), account_version=1, transfer__booked_on__lte=last_day(year)
    )
    done = Withholding.objects.filter(
        player=OuterRef("player"),
        currency=currency,
        year=year,
        reason=Withholding.Reason.YEAR_END,
    )
    owners = Account.objects.filter(Exists(first), ~Exists(done), kind__in=OWN, currency=currency)
    found = owners.order_by("player").values_list("player", flat=True).distinct()
    players = [pk for pk in found if pk is not None]
    if taxed == set(PayeeKind):
        return players
    kinds = payee_kinds(players, year)
    return [pk for pk in players if kinds[pk] in taxed]


def settle_year(*, year: int, currency: str) -> Iterator[bool]:
    """Settle a year for all players, each in its own commit; yield whether each succeeded.

    Idempotent: settled players are skipped, and failed ones (such as a frozen account) are tried
    again. Raise `YearStillOpen` while a transaction that may be booked in the year is running.
    """
    if financial_year(site_day()) <= year:
        raise YearNotOver(f"{year_name(year)} ends on {last_day(year)}")
    end_days()
    _refuse_open(year)
    for player_id in players_to_settle(currency=currency, year=year):
        try:
            settle_player(player_id=player_id, currency=currency)
        except WalletError as refusal:
            log.warning("year_not_settled", player=player_id, year=year, code=refusal.code)
            yield False
        else:
            yield True


def settle_last_year() -> int:
    """Settle the last year in every cash currency; return how many players failed."""
    year = financial_year(site_day()) - 1
    outcomes = [
        is_done
        for currency in settings.CASH_CURRENCIES
        for is_done in settle_year(year=year, currency=currency)
    ]
    if outcomes:
        log.info("year_settled", year=year, players=sum(outcomes), asked=len(outcomes))
    return outcomes.count(False)


def _refuse_open(year: int) -> None:
    if not is_closed(last_day(year)):
        raise YearStillOpen(
            _("The year %(year)s is being closed. Try again in some minutes.")
            % {"year": year_name(year)}
        )


def _settle(player: User, currency: str, end: YearEnd, payable: Account) -> Withholding:
    return _note(
        player,
        currency,
        end.year,
        end.figures,
        reason=Withholding.Reason.YEAR_END,
        transfer=_take(player, currency, end, payable) if end.tax else None,
        in_games_minor=end.in_games,
        taxed_minor=end.taxed,
        payee=end.payee,
        **_taxed_at(end.rate, end.parts),
        deducted_on=last_day(end.year),
    )


def _taxed_at(rate: Rate, parts: TaxParts) -> dict[str, int]:
    """Return the columns of a rate and its tax."""
    return {
        "bps": rate.bps,
        "surcharge_bps": rate.surcharge_bps,
        "cess_bps": rate.cess_bps,
        "tax_minor": parts.total,
        "surcharge_minor": parts.surcharge,
        "cess_minor": parts.cess,
    }


def _take(player: User, currency: str, end: YearEnd, payable: Account) -> Transfer:
    mine = accounts.open_player_accounts(player=player, currency=currency)
    winnings, deposit = mine[Account.Kind.WINNINGS], mine[Account.Kind.DEPOSIT]
    from_winnings = min(end.tax, winnings.balance_minor)
    taken = ((winnings, from_winnings), (deposit, end.tax - from_winnings))
    at = datetime.combine(last_day(end.year), time(23, 59, 59))
    return posting.post(
        key=f"tds:{end.year}:{player.pk}:{currency}",
        kind=Transfer.Kind.TAX,
        entries=[*((account, -part) for account, part in taken if part), (payable, end.tax)],
        document=Transfer.Document.WITHHOLDING,
        memo=year_name(end.year),
        actor="system",
        effective_at=timezone.make_aware(at),
    )


def _note(
    player: User, currency: str, year: int, figures: Figures, **fields: object
) -> Withholding:
    return Withholding.objects.create(
        player=player,
        currency=currency,
        year=year,
        withdrawn_minor=figures.withdrawn,
        deposited_minor=figures.deposited,
        opening_minor=figures.opening,
        closing_minor=figures.closing,
        taxed_before_minor=figures.taxed,
        net_minor=figures.net,
        **fields,
    )
