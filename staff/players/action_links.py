"""Links from a player's admin page to forms for staff actions, with their fields filled in.

A function returns an empty string if its action is not available.
"""

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
from wallet.audit.models import AccountFreeze
from wallet.ledger.models import Account

CANNOT_BE_REMOVED = (
    Entry.State.OUT,
    Entry.State.WITHDRAWN,
    Entry.State.RELEASED,
    Entry.State.FINISHED,
)


def freeze(account: Account) -> str:
    """Return a link to freeze an open account or to unfreeze a frozen one."""
    if account.status == Account.Status.CLOSED:
        return ""
    is_open = account.status == Account.Status.OPEN
    act = AccountFreeze.Act.FREEZE if is_open else AccountFreeze.Act.THAW
    label = _("Freeze") if is_open else _("Unfreeze")
    return _link("wallet_accountfreeze", label, account=account.pk, act=act.value)


def correct(account: Account) -> str:
    """Return links to the forms that add money to an account and deduct money from it."""
    links = (
        _link("wallet_adjustment", _("Correct: add"), target=account.pk),
        _link("wallet_adjustment", _("deduct"), source=account.pk),
    )
    return format_html_join(", ", "{}", ((link,) for link in links))


def rule(table: Table) -> str:
    """Return a link to the form for a ruling on the game at a table."""
    return _link("tables_ruling", _("Rule on the game"), table=table.pk)


def remove(entry: Entry) -> str:
    """Return a link to remove a player who is still in the tournament."""
    if entry.state in CANNOT_BE_REMOVED:
        return ""
    kind = StaffAction.Kind.REMOVE.value
    initial = {"tournament": entry.tournament_id, "kind": kind, "player": entry.player.handle}
    return _link("tournaments_staffaction", _("Remove"), **initial)


def pay_back(ticket: Ticket) -> str:
    """Return a link to request the refund of an unused ticket."""
    if ticket.state != Ticket.State.ISSUED:
        return ""
    return _link("tournaments_ticketrefund", _("Request refund"), ticket=ticket.pk)


def case(row: Model) -> str:
    """Return a link to the case page of a row: its remarks, owner and due date."""
    url = reverse("case", args=[row._meta.label_lower, row.pk])
    return format_html('<a href="{}">{}</a>', url, _("Case"))


def _link(model: str, label: str, **initial: Any) -> str:
    url = f"{reverse(f'admin:{model}_add')}?{urlencode(initial)}"
    return format_html('<a href="{}">{}</a>', url, label)
