from django.urls import path

from finance.api import view_of
from finance.catalogue import REPORTS

urlpatterns = [
    path(f"{report.name}/", view_of(report).as_view(), name=f"finance-{report.name}")
    for report in REPORTS
]
