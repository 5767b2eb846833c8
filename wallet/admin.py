"""Imports the admin modules of all packages, for Django to find."""

import wallet.audit.admin
import wallet.bonuses.admin
import wallet.corrections.admin
import wallet.deposits.admin
import wallet.ledger.admin
import wallet.stakes.admin
import wallet.tax.admin
import wallet.tax.invoices.admin
import wallet.wind_down.admin
import wallet.withdrawals.admin
import wallet.withdrawals.payees.admin  # noqa: F401
