"""Imports the admin modules of all packages, for Django to find."""

import finance.books.admin
import finance.matching.admin
import finance.matching.gateways.settlements_admin
import finance.matching.layouts.admin
import finance.reports.exports.admin
import finance.webhooks.admin  # noqa: F401
