from django.urls import path

from wallet.api import JournalView

urlpatterns = [path("journal/", JournalView.as_view(), name="finance-journal")]
