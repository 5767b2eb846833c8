"""The models of all rooms, gathered where Django looks for them."""

from finance.exports.models import Export, ExportJob
from finance.reconciliation.models import GatewayFile, GatewayLine
from finance.reporting.models import DailyClose, DailyTotal

__all__ = ["DailyClose", "DailyTotal", "Export", "ExportJob", "GatewayFile", "GatewayLine"]
