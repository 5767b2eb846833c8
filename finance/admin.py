"""Import the admin modules of finance's packages for Django's autodiscovery."""

from finance.books import admin as books
from finance.matching import admin as matching
from finance.matching.gateways import settlements_admin as settlements
from finance.matching.layouts import admin as layouts
from finance.reports.exports import admin as exports
from finance.webhooks import admin as webhooks

__all__ = ["books", "exports", "layouts", "matching", "settlements", "webhooks"]
