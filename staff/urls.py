"""URLs of staff pages outside the admin's own URLconf."""

from django.contrib import admin
from django.urls import path

from core.admin.autocomplete import PickerView
from finance.reports.desk import pages as reports
from staff.access.second_factor import enrol_view, second_factor_view
from staff.cases.pages import case_view, queue_view
from staff.pages import harm_view, setup_view, wind_down_view
from staff.players.player_desk import desk_view
from staff.search.pages import search_view

urlpatterns = [
    # Replaces the admin's own view with labels that distinguish players.
    path("admin/autocomplete/", admin.site.admin_view(PickerView.as_view(admin_site=admin.site))),
    path("staff/second-factor/", second_factor_view, name="staff-second-factor"),
    path("staff/second-factor/<str:token>/", enrol_view, name="staff-enrol"),
    path("admin/find/", admin.site.admin_view(search_view), name="staff-search"),
    path("admin/setup/", admin.site.admin_view(setup_view), name="setup"),
    path("admin/wind-down/", admin.site.admin_view(wind_down_view), name="wind-down"),
    path("admin/harm/", admin.site.admin_view(harm_view), name="harm"),
    path("admin/cases/", admin.site.admin_view(queue_view), name="cases"),
    path("admin/cases/<str:kind>/<int:pk>/", admin.site.admin_view(case_view), name="case"),
    *(
        path(f"admin/reports/{route}", admin.site.admin_view(view), name=name)
        for route, view, name in (
            ("", reports.reports_view, "reports"),
            ("files/<uuid:export_id>/", reports.file_view, "report-file"),
            ("closed/<str:first_day>/<str:last_day>/", reports.closed_view, "closed-period"),
            ("<slug:name>/", reports.report_view, "report"),
            ("<slug:name>/file/", reports.download_view, "report-download"),
            ("<slug:name>/mail/", reports.mail_view, "report-mail"),
        )
    ),
    path("admin/players/user/<int:pk>/desk/", admin.site.admin_view(desk_view), name="player-desk"),
]
