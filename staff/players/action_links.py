"""Links from a player's page to the forms of staff actions, with initial values."""

from __future__ import annotations

from typing import Any

from django.db.models import Model
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from tables.models.tables import Table
from tournaments.entries.models import Entry, Ticket
from tournaments.planning.models import StaffAction
from wallet.ledger.models import Account
from wallet.ledger.safeguard_models import AccountFreeze

GONE = (Entry.State.OUT, Entry.State.WITHDRAWN, Entry.State.RELEASED, Entry.State.FINISHED)


def freeze(account: Account) -> str:
    """Return a link to freeze an account, or to unfreeze a frozen one."""
    if account.status == Account.Status.CLOSED:
        return ""
    is_open = account.status == Account.Status.OPEN
    act = AccountFreeze.Act.FREEZE if is_open else AccountFreeze.Act.THAW
    label = _("Freeze") if is_open else _("Unfreeze")
    return _link("wallet_accountfreeze", label, account=account.pk, act=act.value)


def correct(account: Account) -> str:
    """Return links to corrections that add to an account and that deduct from it."""
    links = (
        _link("wallet_adjustment", _("Correct: add"), target=account.pk),
        _link("wallet_adjustment", _("deduct"), source=account.pk),
    )
    return format_html_join(", ", "{}", ((link,) for link in links))


def rule(table: Table) -> str:
    """Return a link to a ruling on the game of a table."""
    return _link("tables_ruling", _("Rule on the game"), table=table.pk)


def remove(entry: Entry) -> str:
    """Return a link to remove an entrant who is still in the tournament."""
    if entry.state in GONE:
        return ""
    kind = StaffAction.Kind.REMOVE.value
    facts = {"tournament": entry.tournament_id, "kind": kind, "player": entry.player.handle}
    return _link("tournaments_staffaction", _("Remove"), **facts)


def pay_back(ticket: Ticket) -> str:
    """Return a link to request the refund of an unused ticket."""
    if ticket.state != Ticket.State.ISSUED:
        return ""
    return _link("tournaments_ticketrefund", _("Request refund"), ticket=ticket.pk)


def case(row: Model) -> str:
    """Return a link to the case of a row."""
    url = reverse("case", args=[row._meta.label_lower, row.pk])
    return format_html('<a href="{}">{}</a>', url, _("Case"))


def _link(model: str, label: str, **initial: Any) -> str:
    url = f"{reverse(f'admin:{model}_add')}?{urlencode(initial)}"
    return format_html('<a href="{}">{}</a>', url, label)
