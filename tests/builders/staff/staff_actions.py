"""All staff actions, each with a member of staff who has a conflict of interest.

A case returns the action and the person who must be refused. Its preconditions exist already, so
that a call by any other member of staff succeeds and is recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.utils import timezone

from players.accounts.models import User
from players.cases import actions as cases
from players.cases import help_requests
from players.cases.data_requests import answer_request, ask_about_data
from players.cases.models import Case as StaffCase
from players.cases.models import DataRequest
from players.eligibility import holds
from players.eligibility.hold_models import Hold
from players.eligibility.places.doubts import settle_by_staff
from players.eligibility.places.models import PlaceDoubt
from players.identity import checks
from players.identity.models import IdentityCheck
from players.identity.phones.numbers import distinguish_player, give_number
from players.identity.tax_numbers import give_tax_number, remove_tax_number
from players.sign_in import actions as sign_ins
from staff.cases.kinds import DISPUTES
from tables.games import opening as lobby
from tables.integrity.collusion import decisions
from tables.integrity.moderation import disputes, reviews, rulings
from tables.integrity.moderation.dispute_models import Dispute
from tables.lobby.table_templates import actions as templates
from tables.lobby.table_templates import profiles
from tables.manners.actions import decide_report
from tables.models.templates import TableTemplate
from tables.play import drains
from tables.seats import seating
from tables.seats.models import ReviewFlag
from tests.builders.people.holds import hold_player
from tests.builders.people.identities import submit_identity, verify_identity
from tests.builders.staff import wallet_acts as money
from tests.builders.staff.acts import WHY, Act, Case, boss, pair
from tests.builders.staff.people import promote
from tests.builders.tables.disputes import complain, played_deal, send_report
from tests.builders.tables.findings import make_finding
from tests.builders.tables.making import make_game, make_player, make_rules
from tests.builders.tables.playing import deal_at, seat_at
from tests.builders.tournaments.seasons import give, plan
from tests.builders.tournaments.tickets import a_ticket
from tests.builders.tournaments.tournaments import enter, make_tournament, start
from tournaments.leagues import seasons
from tournaments.lobby import registration
from tournaments.planning import opening
from tournaments.prizes import tickets
from tournaments.rounds import staff_actions, stopping

# Players.


def _session() -> Act:
    rival, player = pair()
    session = UserSession.objects.create(user=player, ip="127.0.0.1", session_key="k" * 32)
    return Act(partial(sign_ins.end_session, session_id=session.pk), rival, session)


def _player(service: Any, *, is_active: bool = True, **more: Any) -> Act:
    rival, player = pair()
    player.is_active = is_active
    player.save()
    return Act(partial(service, player_id=player.pk, **more), rival, player)


def _factor() -> Act:
    act = _player(sign_ins.remove_second_factor)
    Authenticator.objects.create(user=act.row, type="totp", data={})
    return act


def _hold(step: str) -> Act:
    rival, player = pair()
    if step == "set":
        do = partial(holds.set_hold, player_id=player.pk, kind=Hold.Kind.PLAY, **WHY)
        return Act(do, rival)
    hold = hold_player(player, Hold.Kind.PLAY)
    return Act(partial(holds.lift_hold, hold_id=hold.pk, **WHY), rival, hold)


def _doubt() -> Act:
    rival, player = pair()
    doubt = PlaceDoubt.objects.create(
        player=player, kind=PlaceDoubt.Kind.HIDDEN, declared_country="IN", noticed_at=timezone.now()
    )
    return Act(partial(settle_by_staff, player_id=player.pk, **WHY), rival, doubt)


def _identity(service: Any, **more: Any) -> Act:
    rival, player = pair()
    check = submit_identity(player)
    if service is checks.open_document:
        return Act(partial(service, document_id=check.documents.get().pk), rival, check)
    return Act(partial(service, check_id=check.pk, **more), rival, check)


def _data_request() -> Act:
    rival, player = pair()
    asked = ask_about_data(player=player, about=DataRequest.About.PLACE, text="I moved to Goa.")
    return Act(partial(answer_request, request_id=asked.pk, answer="Done."), rival)


def _help_request() -> Act:
    rival, player = pair()
    asked = help_requests.write_to_support(
        player=player, email="", language="en", subject="Bonus", text="Where is it?"
    )
    return Act(partial(help_requests.answer_request, request_id=asked.pk, answer="Here."), rival)


def _tax_number() -> Act:
    rival, player = pair()
    give_tax_number(player_id=player.pk, number="ABCPE1234F")
    return Act(partial(remove_tax_number, player_id=player.pk), rival, submit_identity(player))


def _phone_number() -> Act:
    rival, player = pair()
    verify_identity(player)
    number = give_number(player_id=player.pk, number="9876543210")
    return Act(partial(distinguish_player, number_id=number.pk), rival, number)


# Tables.


def _ruling(kind: str) -> Act:
    table = make_game()
    rival = seat_at(table, 1).player
    promote(rival)
    if kind == "cancel":
        return Act(partial(rulings.cancel_game, table_id=table.pk, **WHY), rival, table)
    return Act(partial(rulings.void_deal, deal_id=deal_at(table).pk, **WHY), rival, table)


def _finding(what: str) -> Act:
    rival, player = pair()
    finding = make_finding(player, make_player())
    about = {"finding_id": finding.pk, "outcome": "dismiss", **WHY}
    if what == "ask":
        return Act(partial(decisions.ask_decision, **about), rival, finding)
    asked = decisions.ask_decision(**about, by=boss())
    do = {"approve": decisions.approve_decision, "reject": decisions.reject_decision}[what]
    return Act(partial(do, decision_id=asked.pk), rival, asked)


def _drain() -> Act:
    return Act(partial(drains.begin, **WHY), pair()[0])


def _lift() -> Act:
    rival, _ = pair()
    drain = drains.begin(by=boss(), **WHY)
    return Act(partial(drains.lift, drain=drain), rival, drain)


def _dispute(name: str, *before: str) -> Act:
    """A member of staff who played in the disputed game, which is over for the complainant."""
    deal = played_deal()
    dispute = complain(deal)
    rival = deal.deal_seats.get(position=3).seat.player
    promote(rival)
    more = {"answer_dispute": {"answer": "It ran as it should."}}
    for earlier in before:
        getattr(disputes, earlier)(dispute_id=dispute.pk, by=boss(), **more.get(earlier, {}))
    do = partial(getattr(disputes, name), dispute_id=dispute.pk, **more.get(name, {}))
    return Act(do, rival, dispute)


def _report() -> Act:
    """A member of staff who played in the game of the report, which is over for the two."""
    deal = played_deal()
    report = send_report(deal)
    rival = deal.deal_seats.get(position=3).seat.player
    promote(rival)
    decision = {"outcome": "warned", "note": "The moves show it."}
    return Act(partial(decide_report, report_id=report.pk, **decision), rival, report)


def _case(name: str, **more: Any) -> Act:
    """A case about the dispute of `_dispute`."""
    about = _dispute("take_dispute")
    assert isinstance(about.row, Dispute)
    dispute = DISPUTES.rows(about.rival).get(pk=about.row.pk)
    return Act(
        partial(getattr(cases, name), subject=DISPUTES.subject(dispute), **more), about.rival
    )


def _review() -> Act:
    rival, player = pair()
    mine, theirs = rival.seats.get(), player.seats.get()
    flag = ReviewFlag.objects.create(
        table=mine.table, kind="device", seat=theirs, other=mine, at=timezone.now()
    )
    return Act(partial(reviews.review_pair, flag_id=flag.pk, note="Brothers"), rival, flag)


def _template(name: str) -> Act:
    rules = make_rules()
    template = TableTemplate.objects.create(
        slug="t", name="T", entry_minor=100, profile=profiles.register_profile(rules)
    )
    rival = boss()
    seating.join(table_id=lobby.open_of_kind(template).pk, player=rival)
    if name == "change_template":
        template.rake_bps = 500
        return Act(partial(templates.change_template, template=template, rules=rules), rival)
    do = partial(templates.set_offered, template_id=template.pk, is_offered=False)
    return Act(do, rival, template)


# Tournaments.


def _tournament(**terms: Any) -> tuple[Any, User, list[Any]]:
    tournament = make_tournament(**terms)
    rival = boss()
    entries = enter(tournament, 3)
    registration.register(tournament_id=tournament.pk, player=rival)
    return tournament, rival, entries


def _delay() -> Act:
    tournament, rival, _ = _tournament()
    later = tournament.starts_at + timedelta(days=1)
    do = partial(staff_actions.delay, tournament_id=tournament.pk, starts_at=later, **WHY)
    return Act(do, rival)


def _begun(service: Any, **more: Any) -> Act:
    """A running tournament that a member of staff has entered."""
    tournament, rival, _ = _tournament(round_minutes=30)
    start(tournament)
    return Act(partial(service, tournament_id=tournament.pk, **more, **WHY), rival)


def _cancel() -> Act:
    tournament, rival, _ = _tournament()
    return Act(partial(stopping.cancel, tournament_id=tournament.pk, **WHY), rival)


def _remove() -> Act:
    _, rival, entries = _tournament()
    return Act(partial(staff_actions.remove, entry_id=entries[0].pk, **WHY), rival)


def _abort() -> Act:
    tournament, rival, _ = _tournament()
    start(tournament)
    asked = stopping.ask_to_abort(tournament_id=tournament.pk, by=boss(), **WHY)
    return Act(partial(stopping.agree_to_abort, action_id=asked.pk), rival, asked)


def _open() -> Act:
    tournament, rival, _ = _tournament(start_rule="when_full")
    now, template = timezone.now(), tournament.template
    do = partial(opening.open_by_hand, template=template, starts_at=None, now=now)
    return Act(do, rival, template)


def _tournament_template() -> Act:
    tournament, rival, _ = _tournament()
    tournament.template.guarantee_minor = 50_000_00
    return Act(partial(opening.change_template, template=tournament.template), rival)


def _season(step: str) -> Act:
    rival, season = boss(), plan()
    give(season, {rival: 10})
    if step == "cancel":
        return Act(partial(seasons.cancel_season, season_id=season.pk, **WHY), rival, season)
    season.name = "Winter"
    return Act(partial(seasons.plan_season, season=season), rival)


# Money.


def _ticket(step: str) -> Act:
    _, main, [ticket, _] = a_ticket()
    main.is_offered = False
    main.save()
    rival = ticket.player
    promote(rival)
    if step == "request":
        return Act(partial(tickets.request_refund, ticket_id=ticket.pk, **WHY), rival)
    asked = tickets.request_refund(ticket_id=ticket.pk, by=boss(), **WHY)
    return Act(partial(getattr(tickets, f"{step}_refund"), refund_id=asked.pk), rival, asked)


# Requests that another person decides.
CHECKED: dict[str, Callable[[str], Act]] = {
    "tournaments.prizes.tickets.{}_refund": _ticket,
    "wallet.corrections.adjustments.{}_adjustment": money.adjustment_act,
    "wallet.bonuses.requests.{}_bonus": money.bonus_act,
    "players.eligibility.places.region_changes.{}_change": money.region_act,
    "wallet.deposits.terms.{}_term": money.term_act,
}
CASES: dict[str, Case] = {
    **{
        name.format(step): partial(case, step)
        for name, case in CHECKED.items()
        for step in ("request", "approve", "reject")
    },
    "players.sign_in.actions.end_session": _session,
    "players.sign_in.actions.block": partial(_player, sign_ins.block, **WHY),
    "players.sign_in.actions.unblock": partial(_player, sign_ins.unblock, is_active=False, **WHY),
    "players.sign_in.actions.note": partial(_player, sign_ins.note, **WHY),
    "players.sign_in.actions.remove_second_factor": _factor,
    "players.eligibility.holds.set_hold": partial(_hold, "set"),
    "players.eligibility.holds.lift_hold": partial(_hold, "lift"),
    "players.eligibility.places.doubts.settle_by_staff": _doubt,
    "players.identity.checks.verify": partial(_identity, checks.verify),
    "players.identity.checks.refuse": partial(
        _identity, checks.refuse, ground=IdentityCheck.Ground.UNREADABLE
    ),
    "players.identity.checks.open_document": partial(_identity, checks.open_document),
    "players.identity.tax_numbers.remove_tax_number": _tax_number,
    "players.identity.phones.numbers.distinguish_player": _phone_number,
    "tables.integrity.collusion.decisions.ask_decision": partial(_finding, "ask"),
    "tables.integrity.collusion.decisions.approve_decision": partial(_finding, "approve"),
    "tables.integrity.collusion.decisions.reject_decision": partial(_finding, "reject"),
    "players.cases.data_requests.answer_request": _data_request,
    "players.cases.help_requests.answer_request": _help_request,
    "players.cases.actions.take_case": partial(_case, "take_case"),
    "players.cases.actions.give_case": lambda: _case("give_case", owner=boss()),
    "players.cases.actions.rank_case": partial(
        _case, "rank_case", priority=StaffCase.Priority.URGENT, due_at=None
    ),
    "players.cases.actions.note_on_case": partial(_case, "note_on_case", text="Look again"),
    "players.cases.actions.send_message": partial(_case, "send_message", text="Hello"),
    "players.cases.actions.write_to_player": partial(_case, "write_to_player", text="Hello"),
    "tables.manners.actions.decide_report": _report,
    "tables.integrity.moderation.disputes.take_dispute": partial(_dispute, "take_dispute"),
    "tables.integrity.moderation.disputes.answer_dispute": partial(_dispute, "answer_dispute"),
    "tables.integrity.moderation.disputes.close_dispute": partial(
        _dispute, "close_dispute", "answer_dispute"
    ),
    "tables.play.drains.begin": _drain,
    "tables.play.drains.lift": _lift,
    "tables.integrity.moderation.reviews.review_pair": _review,
    "tables.integrity.moderation.rulings.cancel_game": partial(_ruling, "cancel"),
    "tables.integrity.moderation.rulings.void_deal": partial(_ruling, "void"),
    "tables.lobby.table_templates.actions.change_template": partial(_template, "change_template"),
    "tables.lobby.table_templates.actions.set_offered": partial(_template, "set_offered"),
    "tournaments.rounds.staff_actions.delay": _delay,
    "tournaments.rounds.staff_actions.extend_round": partial(
        _begun, staff_actions.extend_round, minutes=5
    ),
    "tournaments.rounds.staff_actions.remove": _remove,
    "tournaments.planning.opening.change_template": _tournament_template,
    "tournaments.planning.opening.open_by_hand": _open,
    "tournaments.leagues.seasons.plan_season": partial(_season, "plan"),
    "tournaments.leagues.seasons.cancel_season": partial(_season, "cancel"),
    "tournaments.rounds.stopping.cancel": _cancel,
    "tournaments.rounds.stopping.ask_to_abort": partial(_begun, stopping.ask_to_abort),
    "tournaments.rounds.stopping.agree_to_abort": _abort,
    "wallet.deposits.deposits.finish_task": money.task_act,
    "wallet.audit.freezes.freeze_account": money.freeze_act,
    "wallet.audit.freezes.thaw_account": money.thaw_act,
    "wallet.deposits.payment_returns.close_return": money.return_act,
    "wallet.withdrawals.withdrawals.approve": partial(money.withdrawal_act, "approve"),
    "wallet.withdrawals.withdrawals.reject": partial(money.withdrawal_act, "reject"),
    "wallet.withdrawals.withdrawals.mark_paid": partial(money.withdrawal_act, "mark_paid"),
    "wallet.withdrawals.withdrawals.mark_failed": partial(money.withdrawal_act, "mark_failed"),
    "wallet.deposits.suspense.place_payment": partial(money.suspense_act, "place_payment"),
    "wallet.deposits.suspense.return_payment": partial(money.suspense_act, "return_payment"),
    "wallet.tax.rates.append": money.tax_rate_act,
    "wallet.tax.residence.accept_residence": partial(money.residence_act, "accept_residence"),
    "wallet.tax.residence.refuse_residence": partial(money.residence_act, "refuse_residence"),
    "wallet.audit.freezes.clear_freeze": partial(money.withdrawal_freeze_act, "clear_freeze"),
    "wallet.audit.freezes.lift_freeze": partial(money.withdrawal_freeze_act, "lift_freeze"),
}
