from django.urls import path

from players.accounts import pages as views
from players.cases import pages as case_pages
from players.eligibility import api as eligibility_api
from players.eligibility import pages as eligibility_pages
from players.eligibility.places import pages as place_pages
from players.identity import pages as identity_pages
from players.identity.phones.pages import PhoneCodeView, PhoneView
from players.notifications import pages as notification_pages
from players.sign_in import account_page
from players.sign_in.guests import pages as guest_views
from players.sign_in.tokens import pages as token_pages

urlpatterns = [
    path("", account_page.AccountView.as_view(), name="account"),
    path(
        "sessions/<int:session_id>/end/",
        account_page.EndSessionView.as_view(),
        name="session-end",
    ),
    path("traces/", views.NetworkDataView.as_view(), name="network-data"),
    path("look/", views.LookView.as_view(), name="look"),
    path("notices/", notification_pages.NotificationsView.as_view(), name="notifications"),
    path("notices/bell/", notification_pages.BellView.as_view(), name="bell"),
    path("notices/choices/", notification_pages.ChoicesView.as_view(), name="notification-choices"),
    path("notices/device/", notification_pages.DeviceView.as_view(), name="push-device"),
    path(
        "notices/device/test/",
        notification_pages.DeviceTestView.as_view(),
        name="push-device-test",
    ),
    path("tokens/", token_pages.TokensView.as_view(), name="tokens"),
    path("tokens/<int:token_id>/end/", token_pages.EndTokenView.as_view(), name="token-end"),
    path("place/", place_pages.PlaceView.as_view(), name="place"),
    path("place/settle/", place_pages.SettlePlaceView.as_view(), name="place-settle"),
    path("birth-date/", identity_pages.BirthDateView.as_view(), name="birth-date"),
    path("phone/", PhoneView.as_view(), name="phone"),
    path("phone/code/", PhoneCodeView.as_view(), name="phone-code"),
    path("tax-number/", identity_pages.TaxNumberView.as_view(), name="tax-number"),
    path("identity/", identity_pages.IdentityView.as_view(), name="identity"),
    path("break/", eligibility_pages.BreakView.as_view(), name="break"),
    path("messages/", case_pages.MessagesView.as_view(), name="messages"),
    path("messages/<uuid:public_id>/", case_pages.ThreadView.as_view(), name="thread"),
    path("keep/", guest_views.KeepAccountView.as_view(), name="account-keep"),
]
api_urlpatterns = [
    path("breaks/", eligibility_api.BreaksView.as_view(), name="api-breaks"),
    path(
        "identity/webhooks/<slug:provider>/",
        identity_pages.NoticeView.as_view(),
        name="api-identity-notice",
    ),
]
