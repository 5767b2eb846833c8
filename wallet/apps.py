from typing import ClassVar

from django.apps import AppConfig

from core.db.schema import Schema


class WalletConfig(AppConfig):
    name = "wallet"
    verbose_name = "Wallet"
    schema: ClassVar[Schema] = {
        "0001_initial": ("wallet.ledger.kinds",),
        "0002_database": (
            "wallet.ledger.currencies",
            "wallet.ledger.accounts",
            "wallet.ledger.posting",
            "wallet.ledger.guards",
            "wallet.ledger.documents",
            "wallet.ledger.posting_guards",
            "wallet.ledger.grants",
            "wallet.ledger.installation",
            "wallet.ledger.booked_days",
            "wallet.deposits.deposits",
            "wallet.withdrawals.payees.payees",
            "wallet.withdrawals.withdrawals",
            "wallet.cashier.answers",
            "wallet.corrections.adjustments",
            "wallet.corrections.restitutions",
            "wallet.gateways.settlements",
            "wallet.audit.hashes",
            "wallet.audit.seals",
            "wallet.bonuses.bonuses",
            "wallet.stakes.stacks",
            "wallet.stakes.stakes",
            "wallet.tax.rates",
            "wallet.tax.taxes",
            "wallet.audit.versions",
            "wallet.audit.sealing",
            "wallet.ledger.policies",
            "wallet.ledger.document_rules",
            "wallet.audit.watched",
            "wallet.audit.since",
            "wallet.audit.sent_heads",
            "wallet.deposits.gateway_payments",
            "wallet.deposits.terms",
            "wallet.audit.schema_record",
            "wallet.ledger.freezes",
            "wallet.audit.stuck_sessions",
            "wallet.tax.invoices.forms",
            "wallet.tax.invoices.filing",
            "wallet.wind_down.reports",
        ),
    }
