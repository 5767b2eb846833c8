from typing import Any, ClassVar

from django.apps import AppConfig
from django.conf import settings
from django.db import connections
from django.utils.translation import gettext_lazy

from core.db.schema import Schema


class WalletConfig(AppConfig):
    name = "wallet"
    verbose_name = gettext_lazy("Wallet")
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


def keep_settings(*, using: str, **_signal: Any) -> None:
    """Write settings that the database enforces too into the installation's row.

    Only the schema's owner can write it. The application checks the settings; the database checks
    again at COMMIT, by this row.
    """
    kept = {
        "people": settings.THREE_PEOPLE_ABOVE,
        "sign_up": settings.PLAY_POINTS_SIGN_UP,
        "refill_to": settings.PLAY_POINTS_REFILL_TO,
    }
    with connections[using].cursor() as cursor:
        cursor.execute(
            "UPDATE wallet_installation SET three_people_above = %(people)s,"
            " sign_up_points_minor = %(sign_up)s, refill_points_to_minor = %(refill_to)s"
            " WHERE (three_people_above, sign_up_points_minor, refill_points_to_minor)"
            " <> (%(people)s, %(sign_up)s, %(refill_to)s)",
            kept,
        )
