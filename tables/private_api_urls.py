from django.urls import path

from tables.lobby import private_api

urlpatterns = [
    path("private-tables/", private_api.PrivateTablesView.as_view()),
    path("private-tables/<slug:code>/", private_api.PrivateTableDetailView.as_view()),
]
