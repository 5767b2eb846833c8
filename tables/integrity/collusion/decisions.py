"""Decisions on findings: one member of staff requests, another approves or rejects."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from core import audit_log, maker_checker
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from tables.exceptions import AlreadyAsked, FactsChanged, ReasonMissing
from tables.integrity.collusion.models import Finding, FindingDecision, VoidedPrize
from tables.integrity.collusion.money import contests_of, lines_of, lock_contests
from tables.models.tables import Table
from wallet.corrections import restitutions
from wallet.corrections.models import RestitutionLine
from wallet.ledger.money import PLAY_POINTS

Outcome = FindingDecision.Outcome


def refuse_own(finding: Finding, *, by: User, players: Iterable[User] = ()) -> None:
    """Raise `SharedInterest` for staff who are involved in the case, or play with those who are.

    Involved are the pair, players linked with it in the same span, and players who sat at a table
    with both. `players` adds those whose money an action moves.
    """
    linked = Finding.objects.filter(
        currency=finding.currency, first_day=finding.first_day, group_key=finding.group_key
    ).select_related("one", "other")
    people = {player.pk: player for row in linked for player in (row.one, row.other)}
    people |= {player.pk: player for player in players}
    refuse_own_interest(*people.values(), *_shared_tables(finding, by), by=by)


@transaction.atomic(durable=True)
def ask_decision(*, finding_id: int, outcome: str, reason: str, by: User) -> FindingDecision:
    """Request that a finding is dismissed or upheld; nothing changes until it is approved.

    The money to be moved is calculated now, so that the approver sees the exact amounts.
    """
    finding = _locked(finding_id, by)
    if not reason.strip():
        raise ReasonMissing("Enter a reason for the decision.")
    standing = finding.decisions.exclude(status=FindingDecision.Status.REJECTED)
    if standing.exists():
        raise AlreadyAsked("A decision on this finding has already been requested.")
    outcome = Outcome(outcome)
    restitution = None
    if outcome == Outcome.UPHOLD and finding.currency != PLAY_POINTS:
        lines, _contests = lines_of(finding, contests_of(finding))
        if lines:
            restitution = restitutions.ask_restitution(
                ref=f"finding:{finding.pk}",
                currency=finding.currency,
                lines=lines,
                reason=reason,
                by=by,
            )
    decision = FindingDecision.objects.create(
        finding=finding,
        outcome=outcome,
        reason=reason.strip(),
        restitution=restitution,
        made_by=by,
    )
    audit_log.record(by=by, act="ask", row=decision, about=finding.one, reason=reason)
    return decision


@transaction.atomic(durable=True)
def approve_decision(*, decision_id: int, by: User) -> FindingDecision:
    """Approve and carry out a request by another member of staff. Idempotent.

    Raise `FactsChanged` if another ruling has voided one of its prizes meanwhile.
    """
    decision = _undecided(decision_id, FindingDecision.Status.APPROVED, by)
    if decision.status == FindingDecision.Status.APPROVED:
        return decision
    if decision.restitution_id is not None:
        _void_prizes(decision)
        decision.restitution = restitutions.approve_restitution(
            restitution_id=decision.restitution_id, by=by
        )
    decided = maker_checker.decide(
        decision, FindingDecision.Status.APPROVED, by=by, about=decision.finding.one
    )
    is_upheld = decision.outcome == Outcome.UPHOLD
    _become(decision.finding, Finding.Status.UPHELD if is_upheld else Finding.Status.DISMISSED, by)
    return decided


@transaction.atomic(durable=True)
def reject_decision(*, decision_id: int, by: User) -> FindingDecision:
    """Reject a request by another member of staff; the finding awaits another decision."""
    decision = _undecided(decision_id, FindingDecision.Status.REJECTED, by)
    if decision.status == FindingDecision.Status.REJECTED:
        return decision
    if decision.restitution_id is not None:
        restitutions.reject_restitution(restitution_id=decision.restitution_id, by=by)
    return maker_checker.decide(
        decision, FindingDecision.Status.REJECTED, by=by, about=decision.finding.one
    )


def _void_prizes(decision: FindingDecision) -> None:
    """Save each voided prize, once, if the amounts are still those of the request."""
    lock_contests(contests_of(decision.finding))
    lines, contests = lines_of(decision.finding, contests_of(decision.finding))
    assert decision.restitution is not None, "money moves by a restitution"
    asked = dict(decision.restitution.lines.values_list("player", "amount_minor"))
    if lines != asked:
        raise FactsChanged("The prizes have changed. Reject this request and make a new one.")
    VoidedPrize.objects.bulk_create(
        VoidedPrize(decision=decision, table_id=one.table_id, deal_id=one.deal_id, game=one.game)
        for one in contests
    )


def _become(finding: Finding, status: Finding.Status, by: User) -> None:
    before = audit_log.facts(finding)
    finding.status = status
    finding.save(update_fields=["status"])
    audit_log.record(by=by, act="decide", row=finding, before=before, about=finding.one)


def _undecided(pk: int, wanted: FindingDecision.Status, by: User) -> FindingDecision:
    rows = FindingDecision.objects.select_related("finding", "restitution")
    finding = _locked(rows.get(pk=pk).finding_id, by)
    decision: FindingDecision = maker_checker.undecided(rows.locked(), pk=pk, wanted=wanted, by=by)
    decision.finding = finding
    return decision


def _locked(finding_id: int, by: User) -> Finding:
    """Return the locked finding; findings of one group are locked in sequence."""
    rows = Finding.objects.select_related("one", "other")
    asked = rows.get(pk=finding_id)
    refuse_own(asked, by=by, players=_moved_by(asked))
    same = rows.locked().filter(
        currency=asked.currency, first_day=asked.first_day, group_key=asked.group_key
    )
    return next(finding for finding in same if finding.pk == finding_id)


def _moved_by(finding: Finding) -> list[User]:
    """Return the players whose money a ruling moves, as requested or by the current state."""
    asked = RestitutionLine.objects.filter(restitution__decision__finding=finding)
    players = {*asked.values_list("player", flat=True)}
    if finding.status == Finding.Status.OPEN and finding.currency != PLAY_POINTS:
        players |= lines_of(finding, contests_of(finding))[0].keys()
    return list(User.objects.filter(pk__in=players))


def _shared_tables(finding: Finding, by: User) -> list[Table]:
    """Return the tables at which a member of staff sat with both; usually none."""
    mine = Table.objects.filter(seats__player=by).filter(seats__player=finding.one_id)
    return list(mine.filter(seats__player=finding.other_id).distinct()[:1])
