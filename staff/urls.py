"""Staff's pages beside the admin's own, some of them under its address."""

from django.contrib import admin
from django.urls import path

from core.admin.autocomplete import PickerView
from staff.access.second_factor import enrol_view, second_factor_view
from staff.cases.pages import case_view, queue_view
from staff.players.closed_places_page import closed_places_view
from staff.players.harm_page import harm_view
from staff.players.player_desk import desk_view

urlpatterns = [
    # In place of the admin's own view: it says who is who.
    path("admin/autocomplete/", admin.site.admin_view(PickerView.as_view(admin_site=admin.site))),
    path("staff/second-factor/", second_factor_view, name="staff-second-factor"),
    path("staff/second-factor/<str:token>/", enrol_view, name="staff-enrol"),
    path("admin/closed-places/", admin.site.admin_view(closed_places_view), name="closed-places"),
    path("admin/harm/", admin.site.admin_view(harm_view), name="harm"),
    path("admin/cases/", admin.site.admin_view(queue_view), name="cases"),
    path("admin/cases/<str:kind>/<int:pk>/", admin.site.admin_view(case_view), name="case"),
    path("admin/players/user/<int:pk>/desk/", admin.site.admin_view(desk_view), name="player-desk"),
]
