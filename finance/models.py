"""Import the models of finance's packages for Django's app registry."""

from finance.books.chart import ChartAccount
from finance.matching.layouts.models import CsvLayout
from finance.matching.models import (
    BankExplanation,
    BankLine,
    BankStatement,
    GatewayFile,
    GatewayLine,
)
from finance.reports.exports.models import Export, ExportJob
from finance.reports.frame.models import DailyClose, DailyTotal
from finance.solvency.models import BalanceTree, BalanceTreePart
from finance.tokens.models import FinanceToken
from finance.webhooks.models import WebhookDelivery, WebhookEndpoint

__all__ = [
    "BalanceTree",
    "BalanceTreePart",
    "BankExplanation",
    "BankLine",
    "BankStatement",
    "ChartAccount",
    "CsvLayout",
    "DailyClose",
    "DailyTotal",
    "Export",
    "ExportJob",
    "FinanceToken",
    "GatewayFile",
    "GatewayLine",
    "WebhookDelivery",
    "WebhookEndpoint",
]
