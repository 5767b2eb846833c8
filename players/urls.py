from django.urls import path

from players import views

urlpatterns = [path("keep/", views.KeepAccountView.as_view(), name="account-keep")]
