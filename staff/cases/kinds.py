"""The kinds of cases, one `Kind` for each model whose rows can be a case.

A kind defines which of its rows are open, since when, when they are due, their player, and the
parties involved. None of this is copied into the case.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.db.models import (
    DateTimeField,
    ExpressionWrapper,
    F,
    Model,
    OuterRef,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.expressions import Combinable
from django.utils.translation import gettext, gettext_lazy, gettext_noop

from core.admin.links import link_to
from core.clock import DatabaseNow
from core.pages.dates import dated
from players.accounts.models import User
from players.cases import data_requests, help_requests
from players.cases.actions import Subject
from players.cases.models import DataRequest, HelpRequest
from staff.cases import choices, titles
from tables.integrity.collusion.models import Finding
from tables.integrity.moderation import disputes
from tables.integrity.moderation.dispute_models import Dispute
from tables.manners.models import PlayerReport
from tables.models.tables import Table
from tables.seats.models import ReviewFlag
from wallet.deposits.models import StaffTask
from wallet.ledger.models import Account, Entry, Transfer
from wallet.statements.statement import transfer_text
from wallet.withdrawals.models import Withdrawal
from wallet.withdrawals.refusals import findings


@dataclass(frozen=True)
class Answer:
    """How staff answer the subject from its case, and the permission to do so."""

    permission: str
    send: Callable[[int, User, str], object]


@dataclass(frozen=True)
class Kind:
    """One kind of work for staff."""

    # Plural name for staff, and singular title for players, in English.
    label: Any
    title: str
    model: type[Model]
    # All rows that this person may see, with the relations that `subject` reads; the open ones.
    rows: Callable[[User], QuerySet[Any]]
    open_rows: Callable[[QuerySet[Any]], QuerySet[Any]]
    opened_at: str
    due_at: Combinable
    # Lookup path to the player; empty if it is not about one player.
    player: str
    # Rows in which the staff working on the case must not take part.
    parties: Callable[[Any], tuple[Model | None, ...]]
    # Labels and values shown besides the name of the row.
    facts: Callable[[Any], list[tuple[Any, object]]]
    answer: Answer | None = None
    # The title of a row's case for staff, and the decisions offered on its page.
    sentence: Callable[[Any], str] = str
    choices: tuple[choices.Choice | choices.Link, ...] = ()

    @property
    def name(self) -> str:
        """Return the model label used in cases and the audit log: "tables.dispute"."""
        return self.model._meta.label_lower

    @property
    def permission(self) -> str:
        return f"{self.model._meta.app_label}.view_{self.model._meta.model_name}"

    def subject(self, row: Model) -> Subject:
        owner: Any = row if self.player else None
        for step in filter(None, self.player.split("__")):
            owner = getattr(owner, step, None)
        return Subject(row=row, title=self.title, player=owner, parties=self.parties(row))


def _within(days: int, opened_at: str) -> Combinable:
    """Return the expression for `opened_at` plus a number of days."""
    due = F(opened_at) + Value(timedelta(days=days))
    return ExpressionWrapper(due, output_field=DateTimeField())


def _of_dispute(dispute: Dispute) -> list[tuple[Any, object]]:
    return [
        (gettext_lazy("About"), dispute.get_category_display()),
        (gettext_lazy("Deal"), titles.deal_text(dispute)),
        (gettext_lazy("Text"), dispute.text),
        (gettext_lazy("Answer"), dispute.answer or "-"),
    ]


def _of_report(report: PlayerReport) -> list[tuple[Any, object]]:
    step = {"no": report.deal.no if report.deal else "-", "step": report.ply}
    return [
        (gettext_lazy("Players"), f"{report.reporter}, {report.reported}"),
        (gettext_lazy("Table"), report.table),
        (gettext_lazy("Step"), gettext("deal %(no)s, step %(step)s") % step),
        (gettext_lazy("Text"), report.text),
    ]


def _of_finding(finding: Finding) -> list[tuple[Any, object]]:
    return [(gettext_lazy("Players"), f"{finding.one}, {finding.other}")]


def _of_flag(flag: ReviewFlag) -> list[tuple[Any, object]]:
    players = f"{flag.seat.player}, {flag.other.player}"
    return [(gettext_lazy("Players"), players), (gettext_lazy("Table"), flag.table)]


def _of_withdrawal(withdrawal: Withdrawal) -> list[tuple[Any, object]]:
    return [
        (gettext_lazy("Due"), dated(withdrawal.due_at)),
        (gettext_lazy("Findings of the checks"), "\n".join(findings(withdrawal)) or "-"),
    ]


def _of_task(task: StaffTask) -> list[tuple[Any, object]]:
    return [(gettext_lazy("References"), task.details)]


def _held(column: str) -> Any:
    """Return the entry that put a task's payment into suspense, as a subquery of one column."""
    return Entry.objects.filter(
        transfer=OuterRef("transfer"), account__kind=Account.Kind.SUSPENSE, amount_minor__gt=0
    ).values(column)[:1]


def _of_data_request(asked: DataRequest) -> list[tuple[Any, object]]:
    return [
        (gettext_lazy("About"), asked.get_about_display()),
        (gettext_lazy("Text"), asked.text),
    ]


def _of_help_request(asked: HelpRequest) -> list[tuple[Any, object]]:
    transfer = Transfer.objects.filter(public_id=asked.about).first() if asked.about else None
    attached = link_to(transfer, transfer_text(transfer)) if transfer else ""
    table = Table.objects.filter(escrow_account__in=_games_of_help_request(asked)).first()
    language = dict(settings.LANGUAGES).get(asked.language, asked.language)
    facts = [
        (gettext_lazy("From"), asked.email),
        (gettext_lazy("Language"), language),
        (gettext_lazy("Text"), asked.text),
        (gettext_lazy("Attached"), attached),
        (gettext_lazy("Table"), link_to(table) if table else ""),
    ]
    return [(label, fact) for label, fact in facts if fact]


def _games_of_help_request(asked: HelpRequest) -> tuple[Account, ...]:
    """Return the account of the game that the message is about."""
    if asked.about is None:
        return ()
    games = Transfer.objects.filter(public_id=asked.about).exclude(game="").values("game")
    return tuple(Account.objects.escrows().filter(ref__in=games))


DISPUTES: Final = Kind(
    label=gettext_lazy("Disputes"),
    title=gettext_noop("your complaint about a deal"),
    model=Dispute,
    rows=lambda viewer: Dispute.objects.select_related("seat__player", "deal__table").defer(
        "evidence"
    ),
    open_rows=lambda rows: rows.filter(status__in=Dispute.PENDING),
    opened_at="opened_at",
    due_at=_within(3, "opened_at"),
    player="seat__player",
    parties=lambda row: (row.deal.table,),
    facts=_of_dispute,
    sentence=titles.of_dispute,
    choices=choices.OF_DISPUTES,
    answer=Answer(
        "tables.answer_dispute",
        lambda pk, by, text: disputes.answer_dispute(dispute_id=pk, by=by, answer=text),
    ),
)
# Without a player: a message from its case could tell who sent the report.
REPORTS: Final = Kind(
    label=gettext_lazy("Reports about players"),
    title="",
    model=PlayerReport,
    rows=lambda viewer: PlayerReport.objects.shown_to(viewer).select_related(
        "reporter", "reported", "table", "deal"
    ),
    open_rows=lambda rows: rows.filter(outcome=""),
    opened_at="sent_at",
    due_at=_within(3, "sent_at"),
    player="",
    parties=lambda row: (row.reporter, row.reported, row.table),
    facts=_of_report,
    sentence=titles.of_report,
    choices=choices.OF_REPORTS,
)
FINDINGS: Final = Kind(
    label=gettext_lazy("Findings of collusion"),
    title="",
    model=Finding,
    rows=lambda viewer: Finding.objects.shown_to(viewer).select_related("one", "other"),
    open_rows=lambda rows: rows.filter(status=Finding.Status.OPEN),
    opened_at="found_at",
    due_at=_within(7, "found_at"),
    player="",
    parties=lambda row: (row.one, row.other),
    facts=_of_finding,
    sentence=titles.of_finding,
    choices=choices.OF_FINDINGS,
)
FLAGS: Final = Kind(
    label=gettext_lazy("Pairs to review"),
    title="",
    model=ReviewFlag,
    rows=lambda viewer: ReviewFlag.objects.select_related("table", "seat__player", "other__player"),
    open_rows=lambda rows: rows.filter(reviewed_at=None),
    opened_at="at",
    due_at=_within(7, "at"),
    player="",
    parties=lambda row: (row.seat.player, row.other.player, row.table),
    facts=_of_flag,
    sentence=titles.of_flag,
    choices=choices.OF_FLAGS,
)
WITHDRAWALS: Final = Kind(
    label=gettext_lazy("Late withdrawals"),
    title=gettext_noop("your withdrawal"),
    model=Withdrawal,
    rows=lambda viewer: Withdrawal.objects.select_related("player"),
    open_rows=lambda rows: rows.filter(status__in=Withdrawal.PENDING, due_at__lt=DatabaseNow()),
    opened_at="requested_at",
    due_at=F("due_at"),
    player="player",
    parties=lambda row: (),
    facts=_of_withdrawal,
    sentence=titles.of_withdrawal,
    choices=choices.OF_WITHDRAWALS,
)
# Late withdrawals have a kind of their own, so their tasks are excluded.
TASKS: Final = Kind(
    label=gettext_lazy("Tasks for staff"),
    title=gettext_noop("your payment"),
    model=StaffTask,
    rows=lambda viewer: (
        StaffTask.objects.select_related("deposit__player", "event")
        .exclude(kind__in=(StaffTask.Kind.LATE_DECISION, StaffTask.Kind.LATE_PAYMENT))
        .annotate(
            held_minor=Subquery(_held("amount_minor")), held_currency=Subquery(_held("currency"))
        )
    ),
    open_rows=lambda rows: rows.filter(done_at=None),
    opened_at="created_at",
    due_at=_within(1, "created_at"),
    player="deposit__player",
    parties=lambda row: (),
    facts=_of_task,
    sentence=titles.of_task,
    choices=choices.OF_TASKS,
)
DATA_REQUESTS: Final = Kind(
    label=gettext_lazy("Requests about own data"),
    title=data_requests.TITLE,
    model=DataRequest,
    rows=lambda viewer: DataRequest.objects.select_related("player"),
    open_rows=lambda rows: rows.filter(answered_at=None),
    opened_at="asked_at",
    due_at=_within(14, "asked_at"),
    player="player",
    parties=lambda row: (),
    facts=_of_data_request,
    sentence=titles.of_data_request,
    answer=Answer(
        "players.answer_datarequest",
        lambda pk, by, text: data_requests.answer_request(request_id=pk, by=by, answer=text),
    ),
)
HELP_REQUESTS: Final = Kind(
    label=gettext_lazy("Messages to support"),
    title=help_requests.TITLE,
    model=HelpRequest,
    rows=lambda viewer: HelpRequest.objects.select_related("player"),
    open_rows=lambda rows: rows.filter(answered_at=None),
    opened_at="asked_at",
    due_at=_within(2, "asked_at"),
    player="player",
    parties=lambda row: (help_requests.sender_of(row), *_games_of_help_request(row)),
    facts=_of_help_request,
    answer=Answer(
        "players.answer_helprequest",
        lambda pk, by, text: help_requests.answer_request(
            request_id=pk,
            by=by,
            answer=text,
            parties=_games_of_help_request(HelpRequest.objects.get(pk=pk)),
        ),
    ),
)
# Register a new kind here only.
KINDS: Final = (
    DISPUTES,
    REPORTS,
    FINDINGS,
    FLAGS,
    WITHDRAWALS,
    TASKS,
    DATA_REQUESTS,
    HELP_REQUESTS,
)


def kinds_of(viewer: User) -> list[Kind]:
    """Return the kinds whose rows this person may see."""
    return [kind for kind in KINDS if viewer.has_perm(kind.permission)]
