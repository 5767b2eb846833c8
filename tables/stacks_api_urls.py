from django.urls import path

from tables.play import stacks_api

urlpatterns = [
    path("tables/<uuid:table_id>/top-up/", stacks_api.TopUpView.as_view()),
    path("tables/<uuid:table_id>/sit-out/", stacks_api.SitOutView.as_view()),
    path("tables/<uuid:table_id>/come-back/", stacks_api.ComeBackView.as_view()),
]
