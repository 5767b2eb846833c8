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
            "wallet.ledger.house",
            "wallet.ledger.booked_days",
            "wallet.payments.deposits",
            "wallet.payees.payees",
            "wallet.payments.withdrawals",
            "wallet.cashier.answers",
            "wallet.corrections.adjustments",
            "wallet.corrections.restitutions",
            "wallet.payments.settlements",
            "wallet.audit.hashes",
            "wallet.audit.seals",
            "wallet.holdings.bonuses",
            "wallet.holdings.stacks",
            "wallet.holdings.stakes",
            "wallet.tax.rates",
            "wallet.tax.taxes",
            "wallet.limits.limits",
            "wallet.audit.versions",
            "wallet.audit.sealing",
            "wallet.ledger.policies",
            "wallet.audit.watched",
            "wallet.audit.since",
            "wallet.audit.sent_heads",
            "wallet.payments.gateway_payments",
            "wallet.deposits.terms",
            "wallet.audit.schema_record",
            "wallet.ledger.freezes",
            "wallet.audit.stuck_sessions",
            "wallet.filing.forms",
            "wallet.filing.filing",
            "wallet.closed_places.reports",
        ),
    }
