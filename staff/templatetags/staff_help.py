"""The page of the documentation for each page of the admin, and its link."""

from __future__ import annotations

from typing import Any, Final

from django import template

from core.templatetags.documents import document_url

register = template.Library()

OVERVIEW: Final = "operators/"
# By the URL's name without "admin:" and without the action ("_change").
PAGES: Final = {
    "setup": "operators/first-day/",
    "staff-search": "operators/search/",
    "players_region": "operators/regions/",
    "players_regionchange": "operators/regions/",
    "players_placedoubt": "operators/regions/",
    "wind-down": "operators/regions/",
    "wallet_withdrawal": "operators/withdrawals/",
    "wallet_payoutbatch": "operators/withdrawals/",
    "wallet_registeredpayee": "operators/withdrawals/",
    "wallet_adjustment": "operators/refunds/",
    "wallet_deposit": "operators/refunds/",
    "wallet_stafftask": "operators/refunds/",
    "wallet_paymentreturn": "operators/refunds/",
    "tables_dispute": "operators/disputes/",
    "tables_playerreport": "operators/disputes/",
    "tables_ruling": "operators/disputes/",
    "cases": "operators/messages/",
    "case": "operators/messages/",
    "players_cannedanswer": "operators/messages/",
    "players_helprequest": "operators/messages/",
    "players_user": "operators/holds/",
    "player-desk": "operators/holds/",
    "players_hold": "operators/holds/",
    "wallet_accountfreeze": "operators/holds/",
    "tournaments_tournament": "operators/tournaments/",
    "tournaments_tournamenttemplate": "operators/tournaments/",
    "tournaments_entry": "operators/tournaments/",
    "tournaments_staffaction": "operators/tournaments/",
    "tournaments_season": "operators/tournaments/",
    "reports": "accountants/gst-and-journal/",
    "report": "accountants/gst-and-journal/",
    "closed-period": "accountants/month/",
    "finance_dailyclose": "accountants/month/",
    "finance_gatewayfile": "finance/#gateway-files",
    "finance_bankstatement": "finance/#bank-statements",
    "wallet_gatewaysettlement": "finance/#settlements",
    "finance_financetoken": "finance/#tokens",
    "wallet_withholding": "accountants/tds/",
    "wallet_taxresidence": "accountants/tds/",
    "wallet_registration": "finance/#filing-taxes",
    "wallet_taxrate": "finance/#filing-taxes",
    "wallet_taxform": "finance/#filing-taxes",
    "wallet_auditrun": "operators/backups/",
    "core_auditentry": "admin/#audit-log",
}


def help_page(view_name: str) -> str:
    """Return the page for a URL's name such as "admin:wallet_withdrawal_change"."""
    name = view_name.removeprefix("admin:")
    return PAGES.get(name) or PAGES.get(name.rpartition("_")[0]) or OVERVIEW


@register.simple_tag(takes_context=True)
def help_url(context: dict[str, Any]) -> str:
    """Return the address of the help for the present page; empty where it has not been built."""
    match = context["request"].resolver_match
    return document_url(help_page(match.view_name if match else ""))
