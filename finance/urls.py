"""URLs of finance's API and of the proofs of balances; its other pages are in the admin."""

from django.urls import path

from core.http.own_writes import from_replica
from finance.closing.api import ClosesView
from finance.matching.api import BankStatementsView, GatewayFilesView
from finance.reports.catalogue import REPORTS
from finance.reports.exports.api import view_of
from finance.reports.exports.jobs_api import ExportFileView, ExportsView, ExportView
from finance.solvency.pages import ProofView, RootsView

urlpatterns = [
    path("verify/balance/", RootsView.as_view(), name="solvency"),
    path("wallet/proof/<int:tree_id>/", ProofView.as_view(), name="balance-proof"),
]
api_urlpatterns = [
    *(
        path(
            f"{report.name}/",
            from_replica(view_of(report).as_view(), of_everybody=True),
            name=f"finance-{report.name}",
        )
        for report in REPORTS
    ),
    path("gateway-files/", GatewayFilesView.as_view(), name="finance-gateway-files"),
    path("bank-statements/", BankStatementsView.as_view(), name="finance-bank-statements"),
    path("closes/", ClosesView.as_view(), name="finance-closes"),
    path("exports/", ExportsView.as_view(), name="finance-exports"),
    path("exports/<uuid:export_id>/", ExportView.as_view(), name="finance-export"),
    path("exports/<uuid:export_id>/file/", ExportFileView.as_view(), name="finance-export-file"),
]
