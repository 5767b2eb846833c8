"""GST on deposits (RB 11.5), and the register of charges."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _
from moneyed import Money

from players.accounts.places import iso_code
from wallet.deposits import debts
from wallet.deposits.models import Deposit
from wallet.exceptions import AmountNotPositive
from wallet.ledger import accounts
from wallet.ledger.days import site_day
from wallet.ledger.models import Account, Transfer
from wallet.ledger.money import as_money, minor_units
from wallet.tax.arithmetic import DepositSum, added_to, taken_out_of
from wallet.tax.models import GstCharge, TaxRate
from wallet.tax.rates import rate_on

# Sharded, so that concurrent deposits do not wait for one balance.
SHARDS = 16
Treatment = TaxRate.Treatment


@dataclass(frozen=True)
class Price:
    """The price of a deposit, and the amount credited."""

    paid: Money
    credited: Money
    tax: Money
    bps: int
    treatment: str


def price_deposit(amount: Money) -> Price:
    """Return the price of a deposit today; the tax is on top of the amount, or included."""
    currency = amount.currency.code
    rate = rate_on(TaxRate.Tax.GST, currency, site_day())
    bps, treatment = (rate.bps, rate.treatment) if rate else (0, Treatment.NONE)
    sums = _sums(minor_units(amount), bps, treatment)
    if sums.credited <= 0:
        raise AmountNotPositive(_("Enter a larger amount: tax would take all of it."))
    return Price(
        paid=as_money(sums.paid, currency),
        credited=as_money(sums.credited, currency),
        tax=as_money(sums.tax, currency),
        bps=bps,
        treatment=str(treatment),
    )


def credit_entries(
    *, deposit: Deposit, sums: DepositSum, paid_from: Account
) -> list[tuple[Account, int]]:
    """Return the credits of a payment: the player's deposit bucket, and the tax account.

    The player's debt for reversed payments is paid first. Locks the accounts.
    """
    mine = accounts.open_player_accounts(player=deposit.player, currency=deposit.currency)
    payable = accounts.operator_account(
        kind=Account.Kind.GST_PAYABLE,
        currency=deposit.currency,
        shard=deposit.player_id % SHARDS,
    )
    bucket = mine[Account.Kind.DEPOSIT]
    to_debt = debts.share_of_debt(
        player=deposit.player,
        currency=deposit.currency,
        credited_minor=sums.credited,
        involved=(bucket, payable, paid_from),
    )
    left = sums.credited - sum(minor for _, minor in to_debt)
    moves = ((bucket, left), (payable, sums.tax))
    return [*to_debt, *((account, minor) for account, minor in moves if minor)]


def note_charge(
    *, deposit: Deposit, transfer: Transfer, sums: DepositSum, treatment: str = ""
) -> None:
    """Record the GST of a credited payment in the register; does nothing if none is charged."""
    if deposit.gst_treatment == Treatment.NONE:
        return
    # A message received twice at once is posted and recorded once.
    GstCharge.objects.get_or_create(
        transfer=transfer,
        defaults={
            "deposit": deposit,
            "currency": deposit.currency,
            "paid_minor": sums.paid,
            "credited_minor": sums.credited,
            "tax_minor": sums.tax,
            "bps": deposit.gst_bps,
            "treatment": treatment or deposit.gst_treatment,
            "charged_on": transfer.booked_on,
            "place": iso_code(deposit.player.country, deposit.player.region),
        },
    )


def _sums(amount_minor: int, bps: int, treatment: str) -> DepositSum:
    if treatment == Treatment.INCLUSIVE:
        return taken_out_of(amount_minor, bps)
    return added_to(amount_minor, bps)
