"""URLs of past games and replays."""

from django.urls import path

from core.http.own_writes import from_replica
from tables.history import api, pages
from tables.history.sharing import pages as sharing

DEAL = "history/<uuid:table_id>/<int:no>/"
SHARED = "shared/<slug:code>/"
WATCHED = "tables/<uuid:table_id>/deals/<int:no>/"
API_TABLE = "tables/<uuid:table_id>/"
API_DEAL = f"{API_TABLE}deals/<int:no>/"

urlpatterns = [
    path("history/", from_replica(pages.GamesView.as_view()), name="history"),
    path("history/<uuid:table_id>/", pages.GameView.as_view(), name="game"),
    path(DEAL, pages.ReplayView.as_view(), name="deal"),
    path(f"{DEAL}chances/", pages.ChancesView.as_view(), name="deal-chances"),
    path(f"{DEAL}<int:ply>/", pages.ReplayView.as_view(), name="replay"),
    path(f"{DEAL}<int:ply>/dispute/", pages.DisputeView.as_view(), name="dispute"),
    path(f"{DEAL}dispute/", pages.DisputeEndView.as_view(), name="dispute-end"),
    path(f"{DEAL}share/", sharing.ShareView.as_view(), name="share-deal"),
    path("account/shared-deals/", sharing.SharedDealsView.as_view(), name="shared-deals"),
    path(f"{SHARED}picture.png", sharing.PictureView.as_view(), name="shared-picture"),
    path(SHARED, sharing.SharedDealView.as_view(), name="shared-deal"),
    path(f"{SHARED}<int:ply>/", sharing.SharedDealView.as_view()),
    path(WATCHED, sharing.WatchedDealView.as_view(), name="watched-deal"),
    path(f"{WATCHED}<int:ply>/", sharing.WatchedDealView.as_view()),
    path("disputes/", pages.DisputesView.as_view(), name="disputes"),
    path("verify/dealt/", pages.DealtView.as_view(), name="dealt"),
    path("verify/", pages.VerifyView.as_view(), name="verify"),
    path("verify/<uuid:table_id>/<int:no>/", pages.VerifyDealView.as_view(), name="verify-deal"),
]
api_urlpatterns = [
    path(f"{API_TABLE}client-seed/", api.ClientSeedView.as_view()),
    path(f"{API_TABLE}sheet/", api.SheetView.as_view()),
    path(f"{API_DEAL}history.txt", api.DealFileView.as_view(), name="deal-file"),
    path(f"{API_DEAL}replay/", api.ReplayView.as_view()),
    path(f"{API_DEAL}disputes/", api.DealDisputesView.as_view()),
    path("games/deals.zip", from_replica(api.DealsArchiveView.as_view()), name="deals-archive"),
    path("games/", from_replica(api.GamesView.as_view())),
    path("disputes/", api.DisputesView.as_view()),
]
