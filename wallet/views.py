"""The player's own wallet."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth.mixins import LoginRequiredMixin
from django.db.models import QuerySet
from django.views.generic import ListView

from players.models import User
from wallet.models import Entry
from wallet.selectors import StatementRow, statement, wallet_of


class WalletView(LoginRequiredMixin, ListView[Entry]):
    """Balances by bucket and the statement, page by page."""

    template_name = "wallet/wallet.html"
    paginate_by = 25

    def get_queryset(self) -> QuerySet[Entry]:
        return statement(cast(User, self.request.user))

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        context["wallets"] = wallet_of(cast(User, self.request.user))
        context["rows"] = [StatementRow(entry) for entry in context["page_obj"]]
        return context
