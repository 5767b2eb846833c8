"""Stakes paid from an account that holds a prepaid entry: a ticket (RB 10.5)."""

from __future__ import annotations

from django.db import transaction
from moneyed import Money

from players.accounts.models import User
from wallet.deposits import debts
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.ledger.money import minor_units
from wallet.stakes.models import Stake, StakePart
from wallet.stakes.rake import rake_of_entry


@transaction.atomic
def take_stake(
    *,
    player: User,
    escrow: Account,
    entry: Money,
    rake_bps: int,
    paid_from: Account,
    key: str,
    actor: str = "",
    memo: str = "",
) -> Stake:
    """Pay a player's entry into a game's escrow from their prepaid account.

    The stake has one part from that account, so a refund fills it again. The same key again returns
    the first stake.
    """
    if earlier := Stake.objects.filter(transfer__key=key).first():
        return earlier
    debts.refuse_debtor(player=player, currency=escrow.currency)
    transfer = posting.post(
        key=key,
        kind=Transfer.Kind.BUY_IN,
        entries=[(paid_from, -entry), (escrow, entry)],
        document=Transfer.Document.STAKE,
        game=escrow.ref,
        memo=memo,
        actor=actor,
    )
    entry_minor = minor_units(entry)
    stake = Stake.objects.create(
        player=player,
        escrow=escrow,
        transfer=transfer,
        entry_minor=entry_minor,
        rake_minor=rake_of_entry(entry_minor, rake_bps),
    )
    StakePart.objects.create(stake=stake, account=paid_from, position=1, amount_minor=entry_minor)
    return stake


def pay_back(
    *, account: Account, player: User, key: str, actor: str = "", memo: str = ""
) -> Transfer:
    """Move the balance of a prepaid account to its player's winnings."""
    mine = accounts.open_player_accounts(player=player, currency=account.currency)
    account.refresh_from_db()
    transfer = posting.post(
        key=key,
        kind=Transfer.Kind.REFUND,
        entries=[(account, -account.balance), (mine[Account.Kind.WINNINGS], account.balance)],
        document=Transfer.Document.TICKET,
        game=account.ref,
        memo=memo,
        actor=actor,
    )
    debts.collect_debts(transfer)
    return transfer
