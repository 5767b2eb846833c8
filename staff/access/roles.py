"""The house's roles: what each may see and do in the admin, and no more.

They are groups. A migration makes them (`staff/migrations/0001_roles.py`); when a line here
changes, a new migration that does as that one does carries it to every installation. A superuser is
none of them: a person with the flag `is_superuser`, who gives the others their roles.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from django.contrib.auth.management import create_permissions


def _looks(app: str, models: str) -> Iterator[str]:
    """Return the permissions to look at an application's models."""
    return (f"{app}.view_{model}" for model in models.split())


TABLES: Final = "table seat deal move score result elimination ruleprofile ruling drain"
TOURNAMENTS: Final = "tournament round entry prize ticket ticketrefund staffaction"
LEDGER: Final = "account entry transfer stake stakepart"
CASHIER: Final = (
    "deposit withdrawal registeredpayee ownlimit accountfreeze adjustment stafftask paymentreturn"
)
BONUSES: Final = "bonusgrant bonusmovement bonusrequest"

# Answers players: sees all that is theirs, asks for corrections, and decides about no money.
SUPPORT: Final = (
    "players.view_user",
    "players.view_case",
    "players.change_case",
    "players.view_datarequest",
    "players.answer_datarequest",
    "players.view_cannedanswer",
    "players.add_cannedanswer",
    "players.change_cannedanswer",
    "players.change_user",
    "players.block_user",
    *_looks("players", "hold placedoubt"),
    "players.add_hold",
    "players.change_hold",
    "players.end_session",
    "account.view_emailaddress",
    "usersessions.view_usersession",
    *_looks("tables", f"{TABLES} dispute reviewflag"),
    "tables.answer_dispute",
    "tables.replay_any_deal",
    "tables.change_reviewflag",
    *_looks("tournaments", TOURNAMENTS),
    *_looks("wallet", f"{LEDGER} {CASHIER} {BONUSES}"),
    "wallet.add_adjustment",
    "wallet.add_bonusrequest",
    "wallet.add_accountfreeze",
)

# Decides about money that somebody else has asked for, and answers for the books.
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
    *_looks("players", "region regionchange hold placedoubt"),
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
    "wallet.view_gatewaysettlement",
    "wallet.add_gatewaysettlement",
    "wallet.check_gatewaysettlement",
    "finance.change_exportjob",
    "finance.view_chartaccount",
    "finance.add_chartaccount",
    "finance.change_chartaccount",
)

# Runs the tables and tournaments: their kinds, their troubles; no money of a single player.
OPERATIONS: Final = (
    "players.view_user",
    "players.view_case",
    "players.change_case",
    "players.view_hold",
    "core.view_auditentry",
    *_looks("core", "archivedmonth"),
    *_looks("tables", f"{TABLES} tabletemplate dispute reviewflag finding findingdecision"),
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
    *_looks("finance", "webhookendpoint webhookdelivery"),
    "finance.add_webhookendpoint",
    "finance.change_webhookdelivery",
)

# Looks at players' documents and decides who they are; nobody else sees one.
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


# Whose permissions the roles are made of.
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
    """Make the roles within a migration, and before them the permissions they are made of."""
    for label in OURS:
        config = apps.get_app_config(label)
        # A migration's applications have no module of models, and without one nothing is made.
        before, config.models_module = getattr(config, "models_module", None), True
        create_permissions(config, apps=apps, verbosity=0)
        config.models_module = before
    make_roles(apps)


def make_roles(apps: Any) -> None:
    """Give each role exactly its permissions; repeating it changes nothing.

    `apps` are the applications as they are, or as a migration knows them. A permission that does
    not exist yet is left out: it comes with the migration that is written when it is needed.
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
