"""The default roles of staff and their permissions in the admin.

Roles are groups, created by a migration (`staff/migrations/0001_roles.py`). A change here needs a
new migration like that one. A superuser is not a role but a user with `is_superuser`, who assigns
the roles.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from django.contrib.auth.management import create_permissions


def _looks(app: str, models: str) -> Iterator[str]:
    """Return the view permissions for an application's models."""
    return (f"{app}.view_{model}" for model in models.split())


TABLES: Final = "table seat deal move score result elimination ruleprofile ruling drain"
TOURNAMENTS: Final = "tournament round entry prize ticket ticketrefund staffaction season outcome"
LEDGER: Final = "account entry transfer stake stakepart"
CASHIER: Final = (
    "deposit withdrawal registeredpayee accountfreeze adjustment stafftask paymentreturn"
)
BONUSES: Final = "bonusgrant bonusmovement bonusrequest"

# Answers players: sees all their data, requests corrections, decides nothing about money.
SUPPORT: Final = (
    "players.view_user",
    "players.view_case",
    "players.change_case",
    "players.view_datarequest",
    "players.answer_datarequest",
    "players.view_helprequest",
    "players.answer_helprequest",
    "players.view_cannedanswer",
    "players.add_cannedanswer",
    "players.change_cannedanswer",
    "players.change_user",
    "players.block_user",
    *_looks("players", "hold placedoubt ownlimit"),
    "players.add_hold",
    "players.change_hold",
    "players.end_session",
    "account.view_emailaddress",
    "usersessions.view_usersession",
    *_looks("tables", f"{TABLES} dispute playerreport reviewflag"),
    "tables.answer_dispute",
    "tables.decide_playerreport",
    "tables.replay_any_deal",
    "tables.change_reviewflag",
    *_looks("tournaments", TOURNAMENTS),
    *_looks("wallet", f"{LEDGER} {CASHIER} {BONUSES}"),
    "wallet.add_adjustment",
    "wallet.add_bonusrequest",
    "wallet.add_accountfreeze",
)

# Decides about money that another person has requested, and is responsible for the accounts.
FINANCE: Final = (
    "players.view_user",
    "players.view_case",
    "players.change_case",
    "core.view_auditentry",
    *_looks("tables", "table seat deal score result ruleprofile ruling finding findingdecision"),
    "tables.check_findingdecision",
    "tables.replay_any_deal",
    *_looks("tournaments", TOURNAMENTS),
    "tournaments.add_ticketrefund",
    "tournaments.check_ticketrefund",
    *_looks("wallet", f"{LEDGER} {CASHIER} {BONUSES}"),
    *_looks("wallet", "auditrun seal bookedday gatewayevent payoutbatch withdrawalfreeze"),
    *_looks("players", "region regionchange hold placedoubt ownlimit"),
    "players.add_hold",
    "players.change_hold",
    "players.add_regionchange",
    *_looks("wallet", "owedreport"),
    *_looks("wallet", "gstcharge taxrate taxresidence withholding depositterm"),
    *_looks("wallet", "invoice registration taxform"),
    "wallet.add_depositterm",
    "wallet.decide_withdrawal",
    "wallet.pay_withdrawal",
    "wallet.change_stafftask",
    "wallet.add_adjustment",
    "wallet.check_adjustment",
    "wallet.add_accountfreeze",
    "wallet.add_bonusrequest",
    "wallet.check_bonusrequest",
    "wallet.change_withdrawalfreeze",
    "finance.add_financetoken",
    "finance.change_financetoken",
    "finance.check_financetoken",
    *_looks("finance", "dailyclose dailytotal export exportjob financetoken gatewayfile"),
    *_looks("finance", "bankstatement webhookendpoint webhookdelivery"),
    "finance.add_webhookendpoint",
    "finance.check_webhookendpoint",
    "finance.change_webhookdelivery",
    "finance.add_gatewayfile",
    "finance.add_bankstatement",
    "finance.add_bankexplanation",
    "wallet.view_gatewaysettlement",
    "wallet.add_gatewaysettlement",
    "wallet.check_gatewaysettlement",
    "finance.change_exportjob",
    "finance.view_chartaccount",
    "finance.add_chartaccount",
    "finance.change_chartaccount",
    "finance.view_csvlayout",
    "finance.add_csvlayout",
    "finance.change_csvlayout",
)

# Runs tables and tournaments; sees no money of single players.
OPERATIONS: Final = (
    "players.view_user",
    "players.view_case",
    "players.change_case",
    "players.view_hold",
    "core.view_auditentry",
    *_looks("core", "archivedmonth"),
    *_looks("tables", f"{TABLES} tabletemplate dispute playerreport reviewflag"),
    *_looks("tables", "finding findingdecision"),
    "tables.add_findingdecision",
    "tables.add_tabletemplate",
    "tables.change_tabletemplate",
    "tables.change_reviewflag",
    "tables.add_ruling",
    "tables.add_drain",
    "tables.change_drain",
    "tables.replay_any_deal",
    *_looks("tournaments", f"{TOURNAMENTS} tournamenttemplate"),
    "tournaments.add_tournamenttemplate",
    "tournaments.change_tournamenttemplate",
    "tournaments.add_staffaction",
    "tournaments.add_season",
    "tournaments.change_season",
    *_looks("finance", "webhookendpoint webhookdelivery"),
    "finance.add_webhookendpoint",
    "finance.change_webhookdelivery",
)

# Views players' documents and decides identity checks; no other role can view documents.
IDENTITY: Final = (
    *_looks("players", "user identitycheck identitydocument phonenumber"),
    "players.decide_identitycheck",
    *_looks("wallet", "taxresidence"),
    "wallet.decide_taxresidence",
)

ROLES: Final = {
    "Support": SUPPORT,
    "Finance": FINANCE,
    "Operations": OPERATIONS,
    "Identity": IDENTITY,
}


# Applications whose permissions the roles use.
OURS: Final = (
    "core",
    "players",
    "wallet",
    "tables",
    "tournaments",
    "finance",
    "account",
    "usersessions",
)


def migrate_roles(apps: Any, schema_editor: Any) -> None:
    """Create the roles in a migration, after creating the permissions that they need."""
    for label in OURS:
        config = apps.get_app_config(label)
        # create_permissions skips app configs without models_module, as in a migration.
        before, config.models_module = getattr(config, "models_module", None), True
        create_permissions(config, apps=apps, verbosity=0)
        config.models_module = before
    make_roles(apps)


def make_roles(apps: Any) -> None:
    """Set each role's permissions; idempotent.

    `apps` is the current or a migration's app registry. Permissions that do not exist yet are
    skipped; the migration that needs them adds them.
    """
    groups = apps.get_model("auth", "Group").objects
    permissions = apps.get_model("auth", "Permission").objects
    held = {
        f"{app}.{codename}": pk
        for app, codename, pk in permissions.values_list(
            "content_type__app_label", "codename", "pk"
        )
    }
    for name, wanted in ROLES.items():
        group, _ = groups.get_or_create(name=name)
        group.permissions.set([held[one] for one in wanted if one in held])
