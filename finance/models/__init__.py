"""What finance keeps of its own: closes of days, exports, and gateways' files."""

from finance.models.closes import DailyClose, DailyTotal
from finance.models.exports import Export
from finance.models.gateways import GatewayFile, GatewayLine
from finance.models.jobs import ExportJob

__all__ = ["DailyClose", "DailyTotal", "Export", "ExportJob", "GatewayFile", "GatewayLine"]
