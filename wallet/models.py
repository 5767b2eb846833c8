"""Imports the models of all packages, for Django to find."""

import wallet.audit.models
import wallet.bonuses.models
import wallet.cashier.models
import wallet.corrections.models
import wallet.deposits.models
import wallet.deposits.payment_models
import wallet.gateways.models
import wallet.ledger.models
import wallet.stakes.models
import wallet.tax.invoices.models
import wallet.tax.models
import wallet.tax.residence_models
import wallet.wind_down.models
import wallet.withdrawals.models
import wallet.withdrawals.payees.models  # noqa: F401
