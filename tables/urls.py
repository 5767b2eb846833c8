"""The URLs of the tables' pages and API, included from the packages."""

from django.urls import path
from django.views.decorators.cache import cache_control
from django.views.i18n import JavaScriptCatalog

from tables.accounts import pages as accounts
from tables.bots import pages as bot_pages
from tables.history import urls as history
from tables.lobby import urls as lobby
from tables.lobby.rules import api as rules
from tables.lobby.rules import pages as rulebook
from tables.manners import urls as manners
from tables.play import urls as play
from tables.ratings import pages as ratings
from tables.responsible import api as responsible_api
from tables.responsible import pages as responsible
from tables.sockets import urls as live

# Private caching only, because the language is in a cookie.
words_of_scripts = cache_control(private=True, max_age=300)(JavaScriptCatalog.as_view())

urlpatterns = [
    *lobby.urlpatterns,
    *play.urlpatterns,
    *manners.urlpatterns,
    path("account/bots/", bot_pages.BotsView.as_view(), name="own-bots"),
    path("account/bots/<int:bot_id>/<str:act>/", bot_pages.BotActView.as_view(), name="own-bot"),
    path("account/export/", accounts.ExportView.as_view(), name="account-export"),
    path("account/your-data/", accounts.YourDataView.as_view(), name="your-data"),
    path("account/close/", accounts.CloseAccountView.as_view(), name="account-close"),
    path("account/play/", responsible.OwnPlayView.as_view(), name="own-play"),
    path(
        "account/play/reality-check/", responsible.RealityCheckView.as_view(), name="reality-check"
    ),
    path("players/<str:handle>/", ratings.PlayerPageView.as_view(), name="player"),
    path("how-to-play/", rulebook.HowToPlayView.as_view(), name="how-to-play"),
    path("rules/", rulebook.RulesIndexView.as_view(), name="rules-index"),
    path("rules/split/", rulebook.SplitView.as_view(), name="rules-split"),
    path("rules/numbers/", rulebook.NumbersView.as_view(), name="rules-numbers"),
    path("rules/<path:name>/", rulebook.RulesView.as_view(), name="rules"),
    *history.urlpatterns,
    # The scripts' texts in the page's language.
    path("jsi18n/", words_of_scripts, name="javascript-catalog"),
]
api_urlpatterns = [
    *play.api_urlpatterns,
    *live.api_urlpatterns,
    *lobby.api_urlpatterns,
    *history.api_urlpatterns,
    path("account/limits/", responsible_api.OwnLimitsView.as_view(), name="api-own-limits"),
    path("account/figures/", responsible_api.FiguresView.as_view(), name="api-own-figures"),
    path(
        "account/reality-check/",
        responsible_api.RealityCheckView.as_view(),
        name="api-reality-check",
    ),
    path("rules/<path:name>/", rules.RulesView.as_view(), name="rules-api"),
]
