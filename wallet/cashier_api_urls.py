from django.urls import path

from wallet.cashier_api import DepositsView, DepositView, WebhookView, WithdrawalsView

urlpatterns = [
    path("deposits/", DepositsView.as_view(), name="api-deposits"),
    path("deposits/<uuid:public_id>/", DepositView.as_view(), name="api-deposit"),
    path("withdrawals/", WithdrawalsView.as_view(), name="api-withdrawals"),
    path("webhooks/<slug:provider>/", WebhookView.as_view(), name="api-webhook"),
]
