"""The cashier's pages: deposits, their limits, withdrawals; and public pages with its terms."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.generic import DetailView, FormView, ListView, TemplateView
from moneyed import Money

from core.clock import database_now
from core.exceptions import Refusal
from players.accounts.pages import PlayerView
from players.eligibility.checklist import cash_checklist
from players.eligibility.places.models import AGE_MIN
from players.eligibility.verdicts import Act, may
from players.limits.models import OwnLimit
from players.limits.own_limits import RAISE_WAITS, confirmation_of
from players.sign_in.security.changes import held_until
from players.sign_in.security.proof import is_proved
from players.sign_in.security.views import LimitFormView
from wallet.cashier.requests import Answer, deposit_once, withdrawal_once
from wallet.deposits.limits import PERIOD_CHOICES, remaining_limits, set_limit
from wallet.deposits.models import Deposit
from wallet.deposits.payment_models import PaymentReturn
from wallet.deposits.unpaid_orders import cancel_deposit
from wallet.exceptions import TaxChanged
from wallet.ledger.days import site_day
from wallet.ledger.forms import AMOUNT, AmountForm, FiguresField, WithdrawalForm
from wallet.ledger.money import as_text
from wallet.stakes.balances import wallet_of
from wallet.tax.assessment import quote_withdrawal
from wallet.tax.models import TaxRate
from wallet.tax.rates import rate_on
from wallet.tax.receipts import lines_of, summary_of
from wallet.withdrawals.models import Withdrawal
from wallet.withdrawals.payees.models import RegisteredPayee
from wallet.withdrawals.withdrawable import withdrawable

QUICK_RUPEES = (100, 500, 1_000, 5_000)
# Help, terms and responsible play, with the figures of the site.
SITE_PAGES = ("help", "terms", "responsible-play")


def quick_amounts(most: Money | None, currency: str) -> list[tuple[str, str]]:
    """Return labels and figures of buttons that fill in the form: round sums up to `most`."""
    round_sums = [Money(figure, currency) for figure in QUICK_RUPEES]
    return [
        (as_text(each).removesuffix(".00"), str(each.amount))
        for each in round_sums
        if most is None or each <= most
    ]


class OnceView(PlayerView, FormView[Any]):
    """A form whose request takes effect once, however often it is submitted."""

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            answer = self.ask(form)
        except Refusal as refusal:
            return self.refused(form, str(refusal))
        if answer.is_refusal:
            return self.refused(form, answer.content["message"], answer.content["code"])
        return redirect(self.goal(answer))

    def ask(self, form: Any) -> Answer:
        raise NotImplementedError

    def goal(self, answer: Answer) -> str:
        raise NotImplementedError

    def refused(self, form: Any, message: str, code: str = "") -> HttpResponse:
        # The next submission is another request and gets a new key.
        form.data = {**form.data.dict(), "key": str(form.fields["key"].initial())}
        form.add_error(None, message)
        return self.form_invalid(form)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        currency = settings.CASH_CURRENCIES[0]
        mine = (wallet for wallet in wallet_of(self.player) if wallet.currency == currency)
        return super().get_context_data(wallet=next(mine, None), currency=currency, **kwargs)


class StartDepositView(OnceView):
    template_name = "wallet/cashier/deposit.html"
    form_class = AmountForm

    def ask(self, form: AmountForm) -> Answer:
        return deposit_once(
            player=self.player,
            route="page:deposit",
            key=str(form.cleaned_data["key"]),
            asked=form.asked(),
            amount=form.money(),
        )

    def goal(self, answer: Answer) -> str:
        # Not directly to the gateway: the CSP limits the form's redirects to the site.
        return reverse("deposit", args=[answer.content["id"]])

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the allowed range of the amount, or the reason why deposits are not possible.

        If the reason is an open step of the checklist, the page shows all steps.
        """
        verdict = may(self.player, Act.DEPOSIT)
        if not verdict.is_allowed:
            kwargs["closed"] = verdict.sentence
            kwargs["steps"] = cash_checklist(self.player, verdict.steps) if verdict.steps else []
        currency = settings.CASH_CURRENCIES[0]
        kwargs["limits"] = limits = remaining_limits(player=self.player, currency=currency)
        most = min((limit.left for limit in limits if limit.left is not None), default=None)
        kwargs["quick"] = quick_amounts(most, currency)
        kwargs["gst"] = rate_on(TaxRate.Tax.GST, currency, site_day())
        return super().get_context_data(**kwargs)


class DepositView(PlayerView, DetailView[Deposit]):
    template_name = "wallet/cashier/deposit_state.html"
    slug_field = slug_url_kwarg = "public_id"

    def get_queryset(self) -> QuerySet[Deposit]:
        return Deposit.objects.of_player(self.player)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        returns = PaymentReturn.objects.filter(payment__deposit=self.object)
        return super().get_context_data(returns=returns, **kwargs)


class CancelDepositView(PlayerView):
    """Cancel an unpaid order of the player."""

    http_method_names = ("post",)

    def post(self, request: HttpRequest, public_id: UUID) -> HttpResponse:
        mine = Deposit.objects.of_player(self.player)
        deposit = get_object_or_404(mine, public_id=public_id)
        try:
            cancel_deposit(deposit_id=deposit.pk)
        except Refusal as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, _("Payment cancelled. Nothing was charged."))
        return redirect("deposit", public_id=public_id)


class DepositsView(PlayerView, ListView[Deposit]):
    template_name = "wallet/cashier/deposits.html"
    paginate_by = 25

    def get_queryset(self) -> QuerySet[Deposit]:
        return Deposit.objects.of_player(self.player).select_related("transfer")


class StartWithdrawalView(OnceView):
    template_name = "wallet/cashier/withdraw.html"
    form_class = WithdrawalForm

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "payees": self.payees()}

    def payees(self) -> list[tuple[str, str]]:
        mine = RegisteredPayee.objects.of_player(self.player).active()
        return [(str(payee.public_id), str(payee)) for payee in mine]

    def ask(self, form: WithdrawalForm) -> Answer:
        said = form.cleaned_data
        return withdrawal_once(
            player=self.player,
            route="page:withdraw",
            key=str(said["key"]),
            asked=form.asked(),
            amount=form.money(),
            payee=said["payee"],
            agreed_tax=form.tax(),
        )

    def refused(self, form: Any, message: str, code: str = "") -> HttpResponse:
        """Show the tax and its calculation before the request, and again if they have changed."""
        if code != TaxChanged.code:
            return super().refused(form, message, code)
        quote = quote_withdrawal(player=self.player, amount=form.money())
        fresh = {"key": str(form.fields["key"].initial()), "agreed_tax": str(quote.tax.amount)}
        again = self.form_class(form.data.dict() | fresh, payees=self.payees())
        review = {
            "text": summary_of(quote.amount, quote.tax),
            "sums": lines_of(quote),
            "has_changed": bool(form.tax()),
        }
        return self.render_to_response(self.get_context_data(form=again, review=review))

    def goal(self, answer: Answer) -> str:
        messages.success(self.request, _("Withdrawal requested. It waits for approval."))
        return reverse("withdrawals")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        player, currency = self.player, settings.CASH_CURRENCIES[0]
        free = withdrawable(player=player, currency=currency)
        everything = [(_("Max"), str(free.now.amount))] if free.now else []
        return super().get_context_data(
            held_until=held_until(player, database_now()),
            wait=settings.WITHDRAWAL_WAIT_HOURS,
            has_payee=bool(self.payees()),
            free=free,
            steps=may(player, Act.WITHDRAW).steps,
            quick=[*quick_amounts(free.now, currency), *everything],
            **kwargs,
        )


class WithdrawalsView(PlayerView, ListView[Withdrawal]):
    template_name = "wallet/cashier/withdrawals.html"
    paginate_by = 25

    def get_queryset(self) -> QuerySet[Withdrawal]:
        return Withdrawal.objects.of_player(self.player).select_related("hold", "payee")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        until = held_until(self.player, database_now())
        return super().get_context_data(held_until=until, **kwargs)


class SitePageView(TemplateView):
    """One of `SITE_PAGES`, public."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(
            age=AGE_MIN,
            raise_hours=int(RAISE_WAITS.total_seconds()) // 3600,
            wait=settings.WITHDRAWAL_WAIT_HOURS,
            **kwargs,
        )


class LimitForm(forms.Form):
    period = forms.ChoiceField(label=gettext_lazy("Within"), choices=PERIOD_CHOICES)
    amount = FiguresField(
        label=gettext_lazy("Limit"),
        help_text=gettext_lazy("Leave empty to remove your limit."),
        required=False,
        **AMOUNT,  # type: ignore[arg-type]
    )

    def money(self) -> Money | None:
        amount = self.cleaned_data["amount"]
        return None if amount is None else Money(amount, settings.CASH_CURRENCIES[0])


class LimitsView(LimitFormView):
    template_name = "wallet/cashier/limits.html"
    form_class = LimitForm
    refused_field = "amount"
    success_url = reverse_lazy("deposit-limits")

    def carry_out(self, form: LimitForm) -> str:
        act = set_limit(
            player=self.player,
            period=OwnLimit.Period(form.cleaned_data["period"]),
            currency=settings.CASH_CURRENCIES[0],
            amount=form.money(),
            is_proved=is_proved(self.request),
        )
        return confirmation_of(act)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        currency = settings.CASH_CURRENCIES[0]
        return super().get_context_data(
            limits=remaining_limits(player=self.player, currency=currency),
            wait=int(RAISE_WAITS.total_seconds()) // 3600,
            quick=quick_amounts(None, currency),
            **kwargs,
        )
