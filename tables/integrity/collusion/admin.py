"""The admin of collusion findings: evidence, and decisions by two members of staff."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import gettext, gettext_lazy

from core.admin.edit_pages import MakerCheckerAdmin, approval, rejection
from core.admin.links import link, link_column, link_to
from core.admin.read_only import ReadOnlyAdmin
from players.accounts.models import User
from players.exceptions import SharedInterest
from tables.integrity.collusion import decisions, evidence
from tables.integrity.collusion.models import Finding, FindingDecision

FACT_COLUMNS = (
    gettext_lazy("Figure"),
    gettext_lazy("Players"),
    gettext_lazy("Counted"),
    gettext_lazy("Expected"),
    gettext_lazy("Base rate of all players"),
    "z",
)
DEAL_COLUMNS = (
    gettext_lazy("Deal"),
    gettext_lazy("Won by"),
    gettext_lazy("Lost by"),
    gettext_lazy("How"),
    gettext_lazy("Points"),
)

MONEY_COLUMNS = (gettext_lazy("Player"), gettext_lazy("Amount"))


def may_see(user: User, finding: Finding) -> bool:
    """Return whether a member of staff is not involved in a case."""
    with transaction.atomic():  # The check locks running games.
        try:
            decisions.refuse_own(finding, by=user)
        except SharedInterest:
            return False
    return True


@admin.register(Finding)
class FindingAdmin(ReadOnlyAdmin):
    """Pairs whose play together is not explained by chance; the oldest first."""

    list_display = ("__str__", "currency", "furthest", "status", "found_at", "decided")
    list_filter = ("status", "currency")
    list_select_related = ("one", "other")
    search_fields = ("one__handle", "other__handle")
    ordering: ClassVar[tuple[str, ...]] = ("found_at", "pk")
    date_hierarchy = "found_at"
    fields = readonly_fields = (
        "players",
        "days",
        "currency",
        "status",
        "found_at",
        "how_far",
        "figures",
        "deals",
        "group_findings",
        "reports",
        "restitution",
        "decided",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Finding]:
        found: QuerySet[Finding] = super().get_queryset(request)
        return found.filter(pk__in=Finding.objects.shown_to(cast(User, request.user)))

    def has_view_permission(self, request: HttpRequest, obj: Finding | None = None) -> bool:
        may: bool = super().has_view_permission(request, obj)
        return may and (obj is None or may_see(cast(User, request.user), obj))

    @admin.display(description=gettext_lazy("Players"))
    def players(self, finding: Finding) -> str:
        return format_html_join(
            " · ",
            '<a class="underline" href="{}">{}</a>',
            ((reverse("player-desk", args=[one.pk]), one) for one in (finding.one, finding.other)),
        )

    @admin.display(description=gettext_lazy("Days"))
    def days(self, finding: Finding) -> str:
        days = {"first": finding.first_day, "last": finding.last_day}
        return gettext("%(first)s to %(last)s") % days

    @admin.display(description=gettext_lazy("Most extreme figure"))
    def furthest(self, finding: Finding) -> str:
        fact = finding.facts.filter(z__isnull=False).order_by("-z").first()
        return "-" if fact is None else f"{fact}, z {fact.z:+.1f}"

    @admin.display(description=gettext_lazy("Threshold"))
    def how_far(self, finding: Finding) -> str:
        figures = {"z": f"{finding.threshold:.1f}", "tests": finding.tests}
        text = gettext(
            "z of %(z)s or more: of the %(tests)s figures of all pairs, hardly one would be so high"
            " by chance. z is in standard deviations over all pairs."
        )
        return text % figures

    @admin.display(description=gettext_lazy("Figures"))
    def figures(self, finding: Finding) -> str:
        rows = [
            (row.what, row.whose, row.seen, row.expected, row.base, z)
            for row in evidence.fact_rows(finding)
            for z in [_above(row.z) if row.is_far_out else row.z]
        ]
        return _table(FACT_COLUMNS, rows)

    @admin.display(description=gettext_lazy("Deals with all hands"))
    def deals(self, finding: Finding) -> str:
        rows = [
            (
                link(
                    reverse("replay", args=[deal.table_id, deal.no, deal.ply]),
                    gettext("deal %(no)s, step %(ply)s") % {"no": deal.no, "ply": deal.ply},
                ),
                deal.winner,
                deal.loser,
                deal.how,
                deal.points,
            )
            for deal in evidence.telling_deals(finding)
        ]
        return _table(DEAL_COLUMNS, rows)

    @admin.display(description=gettext_lazy("Linked findings"))
    def group_findings(self, finding: Finding) -> str:
        linked = ((link_to(one),) for one in evidence.linked_findings(finding))
        return format_html_join(mark_safe("<br>"), "{}", linked) or "-"

    @admin.display(description=gettext_lazy("Reported by players"))
    def reports(self, finding: Finding) -> str:
        about = gettext("about")
        reports = ((link_to(one), about, one.reported) for one in evidence.reports_about(finding))
        return format_html_join(mark_safe("<br>"), "{} {} {}", reports) or "-"

    @admin.display(description=gettext_lazy("Money moved if upheld now"))
    def restitution(self, finding: Finding) -> str:
        if finding.status != Finding.Status.OPEN:
            return "-"
        return _table(MONEY_COLUMNS, evidence.would_move(finding)) or gettext("nothing")

    @admin.display(description=gettext_lazy("Decision"))
    def decided(self, finding: Finding) -> str:
        made = finding.decisions.exclude(status=FindingDecision.Status.REJECTED).first()
        if made is not None:
            return link_to(made, f"{made.get_outcome_display()} ({made.get_status_display()})")
        url = reverse("admin:tables_findingdecision_add")
        return link(f"{url}?finding={finding.pk}", gettext("Ask for a decision"))


def _above(z: str) -> str:
    return gettext("%(z)s (above threshold)") % {"z": z}


@admin.register(FindingDecision)
class FindingDecisionAdmin(MakerCheckerAdmin):
    """Dismissals and rulings; the requester cannot approve their own request."""

    list_display = ("finding", "outcome", "moves", "reason", "status", "made_by", "checked_by")
    list_filter = ("status", "outcome")
    list_select_related = ("finding__one", "finding__other", "restitution", "made_by", "checked_by")
    date_hierarchy = "made_at"

    def get_queryset(self, request: HttpRequest) -> QuerySet[FindingDecision]:
        made: QuerySet[FindingDecision] = super().get_queryset(request)
        return made.filter(finding__in=Finding.objects.shown_to(cast(User, request.user)))

    def has_view_permission(self, request: HttpRequest, obj: FindingDecision | None = None) -> bool:
        may: bool = super().has_view_permission(request, obj)
        return may and (obj is None or may_see(cast(User, request.user), obj.finding))

    def get_fields(self, request: HttpRequest, obj: FindingDecision | None = None) -> list[str]:
        if obj is None:
            return ["finding", "outcome", "reason"]
        asked = ["evidence", "outcome", "reason", "made_by", "made_at", "lines"]
        return [*asked, "status", "checked_by", "checked_at", "posted"]

    def get_readonly_fields(
        self, request: HttpRequest, obj: FindingDecision | None = None
    ) -> list[str]:
        return [] if obj is None else self.get_fields(request, obj)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "finding":
            kwargs["queryset"] = Finding.objects.undecided().shown_to(cast(User, request.user))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_by_action(self, row: FindingDecision, form: Any, by: User) -> FindingDecision:
        return decisions.ask_decision(
            finding_id=row.finding_id, outcome=row.outcome, reason=row.reason, by=by
        )

    approve = approval(
        lambda asked, by: decisions.approve_decision(decision_id=asked.pk, by=by),
        label=gettext_lazy("Approve and carry out"),
        message=gettext_lazy("Carried out"),
        previewed=True,
    )

    reject = rejection(lambda asked, by: decisions.reject_decision(decision_id=asked.pk, by=by))

    evidence = link_column("finding", gettext_lazy("Finding"))

    @admin.display(description=gettext_lazy("Money moved"))
    def moves(self, decision: FindingDecision) -> str:
        return "-" if decision.restitution is None else str(decision.restitution)

    @admin.display(description=gettext_lazy("Shares"))
    def lines(self, decision: FindingDecision) -> str:
        if decision.restitution is None:
            return "-"
        lines = decision.restitution.lines.select_related("player", "restitution")
        return format_html_join(mark_safe("<br>"), "{}", ((line,) for line in lines))

    @admin.display(description=gettext_lazy("Transfer"))
    def posted(self, decision: FindingDecision) -> str:
        return link_to(decision.restitution and decision.restitution.transfer)


def _table(columns: tuple[Any, ...], rows: Any) -> str:
    """Return rows as an HTML table; "" without rows."""
    body = [
        format_html("<tr>{}</tr>", format_html_join("", "<td>{}</td>", ((cell,) for cell in row)))
        for row in rows
    ]
    if not body:
        return ""
    head = format_html_join("", "<th>{}</th>", ((column,) for column in columns))
    return format_html(
        '<table class="figures"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>',
        head,
        format_html_join("", "{}", ((row,) for row in body)),
    )
