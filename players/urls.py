from django.urls import path

from players.accounts import pages as views
from players.guests import pages as guest_views
from players.notifications import pages as notice_views

urlpatterns = [
    path("", views.ProfileView.as_view(), name="account"),
    path("traces/", views.TracesView.as_view(), name="traces"),
    path("look/", views.LookView.as_view(), name="look"),
    path("notices/", notice_views.NoticesView.as_view(), name="notices"),
    path("notices/bell/", notice_views.BellView.as_view(), name="bell"),
    path("notices/choices/", notice_views.ChoicesView.as_view(), name="notice-choices"),
    path("keep/", guest_views.KeepAccountView.as_view(), name="account-keep"),
]
