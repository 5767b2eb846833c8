from django.urls import path

from tables.play import windows_api

urlpatterns = [
    path(
        "tables/<uuid:table_id>/windows/<uuid:window_id>/answer/",
        windows_api.AnswerView.as_view(),
    ),
    path("tables/<uuid:table_id>/split/", windows_api.SplitView.as_view()),
    path("tables/<uuid:table_id>/ready/", windows_api.ReadyView.as_view()),
]
