"""Receipts of taxes withheld from winnings or charged on a deposit, with the calculation."""

from __future__ import annotations

from django.utils.translation import gettext as _
from moneyed import Money

from wallet.ledger.models import Account, Entry, Transfer
from wallet.ledger.money import as_money, as_text, percent
from wallet.ledger.receipt_line import Description, Line, from_bucket, moved
from wallet.tax.arithmetic import Figures, Rate, year_name
from wallet.tax.assessment import Quote
from wallet.tax.models import GstCharge, Withholding
from wallet.withdrawals.models import Withdrawal


def describe_withdrawal(transfer: Transfer, entries: tuple[Entry, ...]) -> Description:
    asked = Withdrawal.objects.filter(hold=transfer).first()
    if asked is None:
        return _("It has been paid to your bank."), moved(entries)
    state = _("Withdrawal: %(state)s.") % {"state": asked.get_status_display().lower()}
    row = Withholding.objects.filter(withdrawal=asked).first()
    if row is None:
        return state, moved(entries)
    lines = (
        *(Line(from_bucket(entry), -entry.amount) for entry in entries if entry.amount_minor < 0),
        Line(_("Requested"), asked.amount, is_result=True),
        *_assessed(row.figures, row.rate, row.currency, row.year),
        Line(_("Tax withheld"), -row.tax),
        Line(_("Paid to your bank"), asked.payout, is_result=True),
    )
    return f"{state} {summary_of(asked.amount, asked.tax)}", lines


def returned_tax(transfer: Transfer) -> tuple[Line, ...]:
    """Return a line for the tax refunded with a returned withdrawal, or none."""
    row = Withholding.objects.filter(transfer=transfer.reverses).first()
    if row is None or not row.tax:
        return ()
    return (Line(_("Tax refunded"), row.tax, is_result=True),)


def describe_year_end(transfer: Transfer, entries: tuple[Entry, ...]) -> Description:
    row = Withholding.objects.get(transfer=transfer)
    lines = [*_assessed(row.figures, row.rate, row.currency, row.year)]
    if row.taxed_minor < row.net_minor:
        left = as_money(row.net_minor - row.taxed_minor, row.currency)
        lines.append(Line(_("Taxed next year, because the money was in games"), left))
    lines += [*moved(entries), Line(_("Tax withheld"), -row.tax, is_result=True)]
    lines.append(
        Line(_("Opening balance of the next year"), as_money(row.carried_minor, row.currency))
    )
    text = _("The year %(year)s has ended. Tax was withheld from the winnings left in your wallet.")
    return text % {"year": year_name(row.year)}, tuple(lines)


def describe_deposit(transfer: Transfer, entries: tuple[Entry, ...]) -> Description:
    charge = GstCharge.objects.filter(transfer=transfer).first()
    if charge is None:
        return _("Money arrived in your wallet."), moved(entries)
    owed = [entry for entry in entries if entry.account.kind == Account.Kind.RECEIVABLE]
    text = _("You paid %(paid)s. %(tax)s of it is GST; %(credited)s was credited.")
    values = {name: as_text(getattr(charge, name)) for name in ("paid", "tax", "credited")}
    return text % values, (
        Line(_("You paid"), charge.paid),
        Line(_("GST at %(rate)s %%") % {"rate": percent(charge.bps)}, -charge.tax),
        Line(_("Credited"), charge.credited, is_result=True),
        *(Line(_("Used for reversed payments"), -entry.amount) for entry in owed),
    )


def summary_of(asked: Money, tax: Money) -> str:
    """Return a sentence about the payout of a withdrawal."""
    if not tax:
        return _("No tax is due on this withdrawal.")
    text = _("You get %(payout)s: %(asked)s less %(tax)s tax on your winnings.")
    values = {"payout": asked - tax, "asked": asked, "tax": tax}
    return text % {name: as_text(money) for name, money in values.items()}


def lines_of(quote: Quote) -> tuple[Line, ...]:
    """Return the calculation of a withdrawal before its request."""
    currency = quote.amount.currency.code
    found = quote.assessment
    if found is None:
        return (Line(_("Paid to your bank"), quote.payout, is_result=True),)
    past = (
        Line(
            _("Tax for %(year)s on winnings left in your wallet") % {"year": year_name(end.year)},
            -as_money(end.tax, currency),
        )
        for end in found.past
        if end.tax
    )
    return (
        *past,
        *_assessed(found.figures, found.rate, currency, found.year),
        Line(_("Amount"), quote.amount),
        Line(_("Tax withheld"), -quote.tax),
        Line(_("Paid to your bank"), quote.payout, is_result=True),
    )


def _assessed(figures: Figures, rate: Rate, currency: str, year: int) -> tuple[Line, ...]:
    """Return the steps of RB 11.4 from A to the tax."""
    values = {"year": year_name(year)}
    steps = [(_("A: withdrawn in %(year)s, including this withdrawal") % values, figures.withdrawn)]
    if figures.closing:
        steps = [
            (_("A: withdrawn in %(year)s") % values, figures.withdrawn),
            (_("D: balance at the end, including games"), figures.closing),
        ]
    steps += [
        (_("B: your own deposits in %(year)s") % values, -figures.deposited),
        (_("C: balance at the beginning"), -figures.opening),
        (_("E: winnings already taxed in the year"), -figures.taxed),
    ]
    parts = rate.of(figures.net)
    shares = [(_("Tax at %(rate)s %%"), rate.bps, parts.income_tax)]
    if rate.surcharge_bps:
        shares.append(
            (_("Surcharge at %(rate)s %% of the tax"), rate.surcharge_bps, parts.surcharge)
        )
    if rate.cess_bps:
        shares.append((_("Cess at %(rate)s %% of both"), rate.cess_bps, parts.cess))
    return (
        *(Line(text, as_money(minor, currency)) for text, minor in steps),
        Line(_("Net winnings, at least 0"), as_money(figures.net, currency), is_result=True),
        *(
            Line(text % {"rate": percent(bps)}, as_money(minor, currency))
            for text, bps, minor in shares
        ),
    )
