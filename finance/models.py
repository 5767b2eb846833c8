"""Imports the models of all packages, for Django to find."""

import finance.books.chart
import finance.matching.layouts.models
import finance.matching.models
import finance.reports.exports.models
import finance.reports.frame.models
import finance.solvency.models
import finance.tokens.models
import finance.webhooks.models  # noqa: F401
