"""The pages of a player's company: people met, blocks, invitations and reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.exceptions import Refusal
from core.text_validation import named
from players.accounts.models import User
from players.accounts.pages import PlayerFormView, PlayerView, page_before
from players.notifications.models import Notification
from tables.lobby.invitations import own_private_tables
from tables.manners import actions, company
from tables.manners.models import Block, PlayerReport
from tables.models.tables import Table
from tables.ratings.profile import player_named

REPORTS_SHOWN = 20


class ReportForm(forms.ModelForm[PlayerReport]):
    """A report about one of `others`, the handles of those who can be reported."""

    handle = forms.ChoiceField(label=gettext_lazy("Player"))
    is_blocked = forms.BooleanField(
        required=False, label=gettext_lazy("Also block this player: we will not be seated together")
    )
    deal_no = forms.IntegerField(min_value=0, widget=forms.HiddenInput())
    ply = forms.IntegerField(min_value=0, max_value=100_000, widget=forms.HiddenInput())
    field_order = ("handle",)

    class Meta:
        model = PlayerReport
        fields = ("kind", "text")
        labels: ClassVar[dict[str, Any]] = {
            "kind": gettext_lazy("What is it about?"),
            "text": gettext_lazy("What happened?"),
        }
        widgets: ClassVar[dict[str, Any]] = {"text": forms.Textarea(attrs={"rows": 5})}

    def __init__(self, *args: Any, others: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["handle"].choices = [  # type: ignore[attr-defined]
            (handle, handle) for handle in others
        ]


class PeopleView(PlayerView):
    """The people of the caller's last games, those the caller has blocked, and reports."""

    def get(self, request: HttpRequest) -> HttpResponse:
        reports = PlayerReport.objects.select_related("reported", "table", "deal")
        context = {
            "met": [each for each in company.recent_company(self.player) if not each.is_blocked],
            "blocked": Block.objects.filter(player=self.player).select_related("blocked"),
            "private_tables": own_private_tables(self.player.pk),
            "reports": reports.of_player(self.player)[:REPORTS_SHOWN],
            # Without the game, from which the reporter could be inferred.
            "decisions": PlayerReport.objects.filter(reported=self.player)
            .exclude(outcome="")
            .order_by("-decided_at")[:REPORTS_SHOWN],
        }
        return render(request, "tables/people.html", context)


class BlockView(PlayerView):
    """Blocks a person, or takes the block back."""

    def post(self, request: HttpRequest, handle: str, act: str) -> HttpResponse:
        person = player_named(handle)
        if person is None:
            raise Http404
        names = {"player": person.handle}
        if act == "unblock":
            actions.unblock(player=self.player, blocked=person)
            messages.success(request, _("You have unblocked %(player)s.") % names)
        else:
            block(request, self.player, person)
        return redirect(page_before(request, reverse("people")))


def block(request: HttpRequest, player: User, person: User) -> None:
    """Block a person and show the result as messages of the next page."""
    try:
        left = actions.block(player=player, blocked=person)
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return
    text = _("You have blocked %(player)s. They are not notified.")
    messages.success(request, text % {"player": person.handle})
    for name in left:
        text = _("You left %(table)s, where both of you waited. Your entry was refunded.")
        messages.info(request, text % {"table": named(name)})


class InviteView(PlayerView):
    """Notifies a person of the caller's last games of a private table."""

    def post(self, request: HttpRequest, code: str) -> HttpResponse:
        private = Table.objects.filter(bots_fill=False).exclude(invite_code="")
        table = get_object_or_404(private.select_related("profile"), invite_code=code)
        handle = request.POST.get("handle", "")
        try:
            guest = company.invite(player=self.player, table=table, handle=handle)
        except Refusal as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, _("Invitation sent to %(player)s.") % {"player": guest})
        return redirect("private-table", code)


class InvitedView(PlayerView):
    """Redirects an invited player from the notification to the private table."""

    def get(self, request: HttpRequest, table_id: UUID) -> HttpResponse:
        invitations = Notification.objects.filter(
            player=self.player, kind=Notification.Kind.TABLE_INVITATION, about=table_id
        )
        if not invitations.exists():
            raise Http404
        table = get_object_or_404(Table.objects.exclude(invite_code=""), public_id=table_id)
        return redirect("private-table", table.invite_code)


class ReportView(PlayerFormView):
    """Reports a person of the caller's game at one of its steps, by default the current one."""

    template_name = "tables/report.html"
    form_class = ReportForm
    success_url = reverse_lazy("people")

    @cached_property
    def table(self) -> Table:
        """Return the table; only those who sat there may report."""
        mine = Table.objects.filter(seats__player=self.player).distinct()
        return get_object_or_404(mine, public_id=self.kwargs["table_id"])

    @cached_property
    def step(self) -> tuple[int, int]:
        """Return the number of the deal, 0 before the first one, and of its moves."""
        asked = self.request.GET
        number = asked.get("deal", "")
        deal_no = int(number) if number.isdecimal() else self.table.deal_no
        deal = self.table.deals.filter(no=deal_no).first()
        if deal is None:
            return 0, 0
        last, step = deal.moves.filter(table=self.table).count(), asked.get("step", "")
        return deal_no, min(int(step), last) if step.isdecimal() else last

    def get_form_kwargs(self) -> dict[str, Any]:
        seats = self.table.seats.exclude(player=self.player).order_by("pk")
        people = User.objects.filter(pk__in=list(seats.values_list("player", flat=True)))
        others = people.filter(is_bot=False).order_by("pk").values_list("handle", flat=True)
        return {**super().get_form_kwargs(), "others": list(others)}

    def get_initial(self) -> dict[str, Any]:
        deal_no, ply = self.step
        return {"handle": self.request.GET.get("player", ""), "deal_no": deal_no, "ply": ply}

    def carry_out(self, form: ReportForm) -> str:
        sent = dict(form.cleaned_data)
        is_blocked = sent.pop("is_blocked")
        report = actions.send_report(player=self.player, table=self.table, **sent)
        if is_blocked:
            block(self.request, self.player, report.reported)
        return _("Report sent. You will be notified of the outcome.")

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        deal_no, ply = self.step
        return super().get_context_data(table=self.table, deal_no=deal_no, ply=ply, **context)
