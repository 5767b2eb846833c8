"""Functions with a staff parameter that are not actions on another person."""

from __future__ import annotations

APPS = ("core", "players", "wallet", "tables", "tournaments", "finance", "staff")

# Actions without a row that staff could have an interest in, or with a check of their own.
OTHERWISE = {
    "players.sign_in.enrolment.make_link": "a link to the address of the account itself",
    "players.sign_in.enrolment.send_link": "a link to the address of the account itself",
    "finance.matching.explanations.explain_rows": "refused in a test of its own",
    "finance.matching.actions.keep_file": "a gateway's file; it moves nothing",
    "finance.matching.actions.keep_statement": "a bank's file; it moves nothing",
    "finance.matching.gateways.settlements.request_settlements": "of a gateway, no player's",
    "finance.matching.gateways.returns.name_payment": "refused in a test of its own",
    "finance.matching.gateways.returns.approve_settlement": "a rule of its own for its refunds",
    "wallet.gateways.settlements.ask_settlement": "of a gateway, no player's",
    "wallet.gateways.settlements.approve_settlement": "of a gateway, no player's",
    "wallet.gateways.settlements.reject_settlement": "of a gateway, no player's",
    "finance.reports.exports.jobs.cancel_export": "a file of a report; it moves nothing",
    "core.audit_log.record": "the record of an act",
    "core.audit_log.record_saved": "the record of an act",
    "players.accounts.conflicts_of_interest.refuse_own_interest": "the rule itself",
    "players.accounts.conflicts_of_interest.refuse_staff_account": "a rule of its own",
    "tournaments.lobby.admin._do": "calls the services of the acts",
    "wallet.bonuses.bonuses.grant_bonus": "the second half of an approval",
    "finance.webhooks.actions.request_endpoint": "an address of the operator's; no player's",
    "finance.webhooks.actions.approve_endpoint": "an address of the operator's; no player's",
    "finance.webhooks.actions.reject_endpoint": "an address of the operator's; no player's",
    "finance.webhooks.actions.change_secret": "an address of the operator's; no player's",
    "finance.webhooks.actions.end_endpoint": "an address of the operator's; no player's",
    "finance.webhooks.actions.send_again": "an address of the operator's; no player's",
    "finance.tokens.actions.create_token": "a key to reports",
    "finance.tokens.actions.approve_token": "a key to reports",
    "finance.tokens.actions.revoke_token": "a key to reports",
    "tables.integrity.collusion.decisions.refuse_own": "the rule itself, of a finding",
    "wallet.corrections.restitutions.ask_restitution": "a part of a decision on a finding",
    "wallet.corrections.restitutions.approve_restitution": "a part of a decision on a finding",
    "wallet.corrections.restitutions.reject_restitution": "a part of a decision on a finding",
    "core.maker_checker.decide": "the second half of a decision",
    "core.maker_checker.undecided": "the first half of a decision",
    "wallet.deposits.suspense.finish": "a part of each completion of a task",
    "wallet.withdrawals.overdue.close_late_task": "a part of each step of a withdrawal",
    "wallet.withdrawals.refusals.refuse_step": "a part of each step of a withdrawal",
    "wallet.withdrawals.refusals.refuse_unsent": "a part of each step of a withdrawal",
    "wallet.withdrawals.withdrawals.note_file_given": "refused to the approver: checker_is_maker",
    "wallet.withdrawals.withdrawals.request_withdrawal": "the player asks for their own money",
    "wallet.withdrawals.withdrawals.send_to_bank": "leaves out what is shared, tested below",
}
