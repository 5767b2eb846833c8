"""URLs of staff pages outside the admin's own URLconf."""

from django.contrib import admin
from django.urls import path

from core.admin.autocomplete import PickerView
from staff.access.second_factor import enrol_view, second_factor_view
from staff.cases.pages import case_view, queue_view
from staff.players.overviews import harm_view, wind_down_view
from staff.players.player_desk import desk_view

urlpatterns = [
    # Replaces the admin's own view with labels that distinguish players.
    path("admin/autocomplete/", admin.site.admin_view(PickerView.as_view(admin_site=admin.site))),
    path("staff/second-factor/", second_factor_view, name="staff-second-factor"),
    path("staff/second-factor/<str:token>/", enrol_view, name="staff-enrol"),
    path("admin/wind-down/", admin.site.admin_view(wind_down_view), name="wind-down"),
    path("admin/harm/", admin.site.admin_view(harm_view), name="harm"),
    path("admin/cases/", admin.site.admin_view(queue_view), name="cases"),
    path("admin/cases/<str:kind>/<int:pk>/", admin.site.admin_view(case_view), name="case"),
    path("admin/players/user/<int:pk>/desk/", admin.site.admin_view(desk_view), name="player-desk"),
]
