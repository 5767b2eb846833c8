"""Addresses of the pages; the sockets' live in `tables.play.routing`."""

from django.urls import include, path
from django.views.decorators.cache import cache_control
from django.views.i18n import JavaScriptCatalog

from tables.accounts import pages as account_views
from tables.lobby import pages as lobby_views
from tables.lobby import private_pages as private_views
from tables.lobby import visit_pages as visit_views
from tables.play import pages as views
from tables.play.routing import websocket_urlpatterns
from tables.rulebook import pages as rules_views

__all__ = ["urlpatterns", "websocket_urlpatterns"]

# The browser's to keep, not the proxy's: the language is in a cookie.
words_of_scripts = cache_control(private=True, max_age=300)(JavaScriptCatalog.as_view())

urlpatterns = [
    path("", visit_views.LandingView.as_view(), name="landing"),
    path("play/", visit_views.PlayNowView.as_view(), name="play-now"),
    path("lobby/", lobby_views.LobbyView.as_view(), name="lobby"),
    path("lobby/quick-seat/", lobby_views.QuickSeatView.as_view(), name="quick-seat"),
    path("tables/<uuid:table_id>/", views.TableView.as_view(), name="table"),
    path("tables/<uuid:table_id>/join/", views.JoinView.as_view(), name="table-join"),
    path("tables/<uuid:table_id>/leave/", views.LeaveView.as_view(), name="table-leave"),
    path("account/export/", account_views.ExportView.as_view(), name="account-export"),
    path("account/close/", account_views.CloseAccountView.as_view(), name="account-close"),
    path("how-to-play/", rules_views.HowToPlayView.as_view(), name="how-to-play"),
    path("rules/", rules_views.RulesIndexView.as_view(), name="rules-index"),
    path("rules/split/", rules_views.SplitView.as_view(), name="rules-split"),
    path("rules/<path:name>/", rules_views.RulesView.as_view(), name="rules"),
    path("private/", private_views.OpenPrivateView.as_view(), name="private-open"),
    path("private/<slug:code>/", private_views.PrivateTableView.as_view(), name="private-table"),
    path("", include("tables.history.urls")),
    # The words of the scripts, in the page's language.
    path("jsi18n/", words_of_scripts, name="javascript-catalog"),
]
