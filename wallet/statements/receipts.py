"""Receipts: a transfer described to one of its players, with its calculation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from players.accounts.models import User
from wallet.bonuses import receipts as bonus_receipts
from wallet.ledger.models import Account, Entry, Transfer
from wallet.ledger.money import as_money
from wallet.ledger.receipt_line import Description, Line, from_bucket, moved, total
from wallet.stakes import receipts as stack_receipts
from wallet.stakes.models import Stake
from wallet.statements.statement import kind_label
from wallet.tax import receipts as tax_receipts


@dataclass(frozen=True)
class Receipt:
    transfer: Transfer
    title: str
    sentence: str
    sums: tuple[Line, ...]
    # The entries of this player only.
    entries: tuple[Entry, ...]

    @property
    def reversed_title(self) -> str:
        """The title of the transfer that this one reverses, or ""."""
        return kind_label(self.transfer.reverses.kind) if self.transfer.reverses else ""


def transfers_of(player: User) -> QuerySet[Transfer]:
    """Return the transfers that moved this player's money."""
    mine = Account.objects.of_player(player).values("pk")
    return Transfer.objects.filter(
        pk__in=Entry.objects.filter(account__in=mine).values("transfer")
    ).select_related("reverses", "reversed_by")


def receipt_of(transfer: Transfer, player: User) -> Receipt:
    """Return a player's receipt of a transfer, without the entries of others."""
    entries = tuple(
        transfer.entries.filter(account__player=player).select_related("account").order_by("pk")
    )
    sentence, sums = _DESCRIPTIONS[Transfer.Kind(transfer.kind)](transfer, entries)
    return Receipt(
        transfer=transfer,
        title=kind_label(transfer.kind),
        sentence=sentence,
        sums=sums,
        entries=entries,
    )


def _buy_in(transfer: Transfer, entries: tuple[Entry, ...]) -> Description:
    stake = Stake.objects.select_related("escrow").get(transfer=transfer)
    rake = as_money(stake.rake_minor, stake.currency)
    return (
        _("You paid your entry. It is held in the game's account until the game ends."),
        (
            *bonus_receipts.spent_lines(stake),
            *(
                Line(from_bucket(entry), -entry.amount)
                for entry in entries
                if entry.account.kind != Account.Kind.BONUS
            ),
            Line(_("Entry"), stake.entry, is_result=True),
            Line(_("Platform fee, due only when the game is settled"), -rake),
            Line(_("Your part of the prize pool"), stake.entry - rake, is_result=True),
            *stack_receipts.deal_lines(transfer),
        ),
    )


def _prize(transfer: Transfer, entries: tuple[Entry, ...]) -> Description:
    """The receipt shows the whole pot, so that every player can verify it (RB 7.5)."""
    out = _from_escrow(transfer)
    paid = list(Stake.objects.filter(escrow=out.account, status=Stake.Status.SETTLED))
    entered = as_money(sum(stake.entry_minor for stake in paid), out.currency)
    rake = as_money(sum(stake.rake_minor for stake in paid), out.currency)
    # A large field is paid in several postings; the pot is their sum.
    of_game = Entry.objects.filter(account=out.account, transfer__kind=Transfer.Kind.PRIZE)
    pot = -total(tuple(of_game))
    prizes, mine = pot - rake, total(entries)
    text = ngettext("%(number)d entry paid in", "%(number)d entries paid in", len(paid))
    steps = [
        Line(text % {"number": len(paid)}, entered),
        Line(_("Added by the site"), pot - entered),
        Line(_("Platform fee"), -rake),
        Line(_("Prize pool"), prizes, is_result=True),
        Line(_("Shares of other players"), mine - prizes),
    ]
    is_all_winnings = {entry.account.kind for entry in entries} == {Account.Kind.WINNINGS}
    text = _("Paid to your winnings") if is_all_winnings else _("Your share")
    sums = (
        *(step for step in steps if step.money),
        Line(text, mine, is_result=True),
        *(() if is_all_winnings else moved(entries)),
    )
    return _("The game is over. You won this prize."), sums


def _refund(transfer: Transfer, entries: tuple[Entry, ...]) -> Description:
    if not transfer.entries.filter(account__kind=Account.Kind.ESCROW).exists():
        text = _("Your ticket was paid out to your winnings.")
        return text, moved(entries)
    out = _from_escrow(transfer)
    is_end = out.account.status == Account.Status.CLOSED
    is_end = is_end and out.account_version == out.account.version
    lost = Stake.objects.filter(escrow=out.account, status=Stake.Status.SETTLED)
    if is_end and lost:
        text, sums = _called_off(out, sum(stake.rake_minor for stake in lost), entries)
        return f"{text} {bonus_receipts.expired_on_return(transfer, entries)}".strip(), sums
    text = _("Your entry was refunded in full to the balances it came from.")
    gone = bonus_receipts.expired_on_return(transfer, entries)
    sums = (*moved(entries), Line(_("Returned"), total(entries), is_result=True))
    return f"{text} {gone}".strip(), sums


def _called_off(out: Entry, rake_minor: int, entries: tuple[Entry, ...]) -> Description:
    """After entries were lost, a cancelled game is shared by the players still in it (RB 7.7)."""
    rake, mine = as_money(rake_minor, out.currency), total(entries)
    shared = -out.amount - rake
    steps = [
        Line(_("All entries"), -out.amount),
        Line(_("Platform fee for lost entries"), -rake),
        Line(_("To share"), shared, is_result=True),
        Line(_("Shares of other players"), mine - shared),
        Line(_("Your share"), mine, is_result=True),
        *moved(entries),
    ]
    text = _(
        "The game was cancelled and the pot shared by the players still in it. Your own entries "
        "were refunded first; the rest became winnings."
    )
    return text, tuple(step for step in steps if step.money)


def _reversal(transfer: Transfer, entries: tuple[Entry, ...]) -> Description:
    text = _("An earlier transaction was reversed.")
    return text, (*moved(entries), *tax_receipts.returned_tax(transfer))


def _taken_back(transfer: Transfer, entries: tuple[Entry, ...]) -> Description:
    if transfer.document == Transfer.Document.DEBT:
        text = _("It paid your debt for reversed payments.")
    else:
        text = _("One of your payments was refunded or reversed.")
    return text, moved(entries)


def _restitution(transfer: Transfer, entries: tuple[Entry, ...]) -> Description:
    if total(entries).amount > 0:
        text = _("Players in your games broke the rules. This is your share of their prizes.")
    else:
        text = _("Some of your prizes are void and were given to the other players.")
    return text, moved(entries)


def _plainly(sentence: Callable[[], str]) -> Callable[[Transfer, tuple[Entry, ...]], Description]:
    return lambda _transfer, entries: (sentence(), moved(entries))


_DESCRIPTIONS: dict[Transfer.Kind, Callable[[Transfer, tuple[Entry, ...]], Description]] = {
    Transfer.Kind.BUY_IN: _buy_in,
    Transfer.Kind.PRIZE: _prize,
    Transfer.Kind.REFUND: _refund,
    Transfer.Kind.REVERSAL: _reversal,
    Transfer.Kind.RAKE: _plainly(lambda: _("Platform fee for a deal.")),
    Transfer.Kind.CASH_OUT: stack_receipts.cash_out,
    Transfer.Kind.BONUS: bonus_receipts.describe_grant,
    Transfer.Kind.RELEASE: bonus_receipts.describe_release,
    Transfer.Kind.EXPIRY: bonus_receipts.describe_expiry,
    Transfer.Kind.GRANT: _plainly(lambda: _("A promotion by the site.")),
    Transfer.Kind.DEPOSIT: tax_receipts.describe_deposit,
    Transfer.Kind.CHARGEBACK: _taken_back,
    Transfer.Kind.RESTITUTION: _restitution,
    Transfer.Kind.FEE: _plainly(lambda: _("Fee of a payment partner.")),
    Transfer.Kind.WITHDRAWAL: tax_receipts.describe_withdrawal,
    Transfer.Kind.TAX: tax_receipts.describe_year_end,
    Transfer.Kind.ADJUSTMENT: _plainly(
        lambda: _("Your balance was corrected; two members of staff approved it.")
    ),
}


def _from_escrow(transfer: Transfer) -> Entry:
    return transfer.entries.select_related("account").get(account__kind=Account.Kind.ESCROW)
