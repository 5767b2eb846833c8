"""URLs of the people a player meets: blocks, invitations and reports."""

from django.urls import path, re_path

from tables.manners import pages

urlpatterns = [
    path("account/people/", pages.PeopleView.as_view(), name="people"),
    re_path(
        r"^players/(?P<handle>[^/]+)/(?P<act>block|unblock)/$",
        pages.BlockView.as_view(),
        name="block",
    ),
    path("private/<slug:code>/invite/", pages.InviteView.as_view(), name="private-invite"),
    path("tables/<uuid:table_id>/invited/", pages.InvitedView.as_view(), name="invited"),
    path("tables/<uuid:table_id>/report/", pages.ReportView.as_view(), name="report-player"),
]
