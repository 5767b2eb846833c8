"""The page of a player's bank accounts for withdrawals."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.exceptions import Refusal
from players.accounts.pages import PlayerFormView
from players.sign_in.security.views import ProvedPostView
from wallet.withdrawals.payees.actions import PAYEES_MAX, register_payee, remove_payee
from wallet.withdrawals.payees.banks import ACCOUNT_PATTERN, IFSC_PATTERN, PAYEE_PATTERN
from wallet.withdrawals.payees.models import RegisteredPayee
from wallet.withdrawals.payees.sealing import Payee


class PayeeForm(forms.Form):
    """A bank account to register."""

    # Stripped like in the API: `$` accepts a trailing newline, which would break the bank's file.
    payee_name = forms.RegexField(
        PAYEE_PATTERN,
        label=gettext_lazy("Name of the account holder"),
        help_text=gettext_lazy("In Latin letters, as in your bank's records"),
        max_length=80,
        strip=True,
    )
    bank_account = forms.RegexField(
        ACCOUNT_PATTERN,
        label=gettext_lazy("Account number"),
        help_text=gettext_lazy("9 to 18 digits"),
        strip=True,
    )
    ifsc = forms.RegexField(
        IFSC_PATTERN,
        label=gettext_lazy("IFSC"),
        help_text=gettext_lazy("11 characters, such as HDFC0001234"),
        strip=True,
    )

    def payee(self) -> Payee:
        said = self.cleaned_data
        return Payee(said["payee_name"], said["bank_account"], said["ifsc"])


class PayeesView(ProvedPostView, PlayerFormView):
    """A player's registered bank accounts, with a form for another."""

    template_name = "wallet/cashier/payees.html"
    form_class = PayeeForm
    success_url = reverse_lazy("payees")

    def carry_out(self, form: PayeeForm) -> str:
        registered = register_payee(player=self.player, payee=form.payee())
        return _("Registered: %(account)s") % {"account": registered}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        mine = RegisteredPayee.objects.of_player(self.player)
        return super().get_context_data(
            payees=mine.active(),
            most=PAYEES_MAX,
            hours=settings.NEW_ACCOUNT_HOURS,
            is_first=not mine.exists(),
            proof_url=self.proof_url,
            **kwargs,
        )


class RemovePayeeView(ProvedPostView):
    """Deactivate one of the player's own bank accounts."""

    http_method_names = ("post",)
    proved_page = "payees"

    def post(self, request: HttpRequest, public_id: UUID) -> HttpResponse:
        try:
            remove_payee(player=self.player, public_id=public_id)
        except Refusal as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, _("Bank account removed."))
        return redirect("payees")
