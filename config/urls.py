"""URLs of the site and of version 1 of the API; each application defines its own part."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularSwaggerView

from core.api.description import DescriptionView
from finance.urls import api_urlpatterns as finance_api
from players.sign_in.devices import app_pages
from players.sign_in.security.code_page import CodeView
from players.sign_in.security.proof import CODE_PAGE
from players.sign_in.security.transactions import recorded
from players.urls import api_urlpatterns as players_api
from tables.urls import api_urlpatterns as tables_api
from tournaments.lobby.urls import api_urlpatterns as tournaments_api
from wallet.cashier.pages import SITE_PAGES, SitePageView
from wallet.support.pages import ContactView, WriteView
from wallet.urls import api_urlpatterns as wallet_api

# Staff use the players' login page, including its second factor.
admin.autodiscover()
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
# Staff change their password on the players' page, which sends an e-mail about it.
admin.site.password_change = RedirectView.as_view(  # type: ignore[method-assign,assignment]
    pattern_name="account_change_password"
)

handler404 = "core.api.refusals.page_not_found"
handler500 = "core.api.refusals.server_error"

api_v1 = [
    path("", include(tables_api)),
    path("tournaments/", include(tournaments_api)),
    path("wallet/", include(wallet_api)),
    path("finance/", include(finance_api)),
    path("account/", include(players_api)),
]
urlpatterns = [
    # First, because patterns are tried in order and moves are the most frequent requests.
    path("api/v1/", include(api_v1)),
    path("", include("tables.urls")),
    path("tournaments/", include("tournaments.lobby.urls")),
    path("wallet/", include("wallet.urls")),
    *(
        path(f"{name}/", SitePageView.as_view(template_name=f"site/{name}.html"), name=name)
        for name in SITE_PAGES
    ),
    path("contact/", ContactView.as_view(), name="contact"),
    path("contact/write/", WriteView.as_view(), name="write-to-us"),
    path("account/", include("players.urls")),
    path("accounts/reauthenticate/code/", CodeView.as_view(), name=CODE_PAGE),
    path("accounts/", recorded(include("allauth.urls"))),
    path("api/schema/", DescriptionView.as_view(), name="schema"),
    path("api/docs/", SpectacularSwaggerView.as_view(url_name="schema"), name="api-docs"),
    path("", include("finance.urls")),
    path("", include("staff.urls")),
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    path("app/<str:language>.webmanifest", app_pages.ManifestView.as_view(), name="manifest"),
    path("offline/", app_pages.OfflineView.as_view(), name="offline"),
    # At the root, because a service worker controls only pages below its own URL.
    path("service-worker.js", app_pages.WorkerView.as_view(), name="service-worker"),
]
