from django.urls import path

from players import views

urlpatterns = [
    path("", views.ProfileView.as_view(), name="account"),
    path("keep/", views.KeepAccountView.as_view(), name="account-keep"),
]
