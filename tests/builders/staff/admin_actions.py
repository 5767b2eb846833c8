"""What staff may change in the admin: its forms and actions, their roles and services."""

from __future__ import annotations

from dataclasses import dataclass

# By model and action: the roles with its permission, besides superusers, and the service that
# checks for conflicts of interest; None if there can be none, as for gateways and tokens.
ACTIONS: dict[tuple[str, str], tuple[set[str], str | None]] = {
    ("auth.Group", "delete_selected"): (set(), None),
    ("players.User", "take_factor_off"): (set(), "players.sign_in.actions.remove_second_factor"),
    ("players.RegionChange", "approve"): (
        {"Finance"},
        "players.eligibility.places.region_changes.approve_change",
    ),
    ("players.RegionChange", "reject"): (
        {"Finance"},
        "players.eligibility.places.region_changes.reject_change",
    ),
    ("wallet.TaxResidence", "accept"): ({"Identity"}, "wallet.tax.residence.accept_residence"),
    ("wallet.TaxResidence", "refuse"): ({"Identity"}, "wallet.tax.residence.refuse_residence"),
    ("players.IdentityCheck", "verify"): ({"Identity"}, "players.identity.checks.verify"),
    ("players.IdentityCheck", "refuse_unreadable"): (
        {"Identity"},
        "players.identity.checks.refuse",
    ),
    ("players.IdentityCheck", "refuse_name"): ({"Identity"}, "players.identity.checks.refuse"),
    ("players.IdentityCheck", "refuse_birth_date"): (
        {"Identity"},
        "players.identity.checks.refuse",
    ),
    ("players.IdentityCheck", "refuse_out_of_date"): (
        {"Identity"},
        "players.identity.checks.refuse",
    ),
    ("players.IdentityCheck", "refuse_document"): ({"Identity"}, "players.identity.checks.refuse"),
    ("players.IdentityCheck", "remove_tax_number"): (
        {"Identity"},
        "players.identity.tax_numbers.remove_tax_number",
    ),
    ("players.PhoneNumber", "distinguish_player"): (
        {"Identity"},
        "players.identity.phones.numbers.distinguish_player",
    ),
    ("usersessions.UserSession", "end"): ({"Support"}, "players.sign_in.actions.end_session"),
    ("finance.ExportJob", "cancel"): ({"Finance"}, None),
    ("finance.GatewayFile", "request_settlements"): ({"Finance"}, None),
    ("wallet.GatewaySettlement", "approve"): ({"Finance"}, None),
    ("wallet.GatewaySettlement", "reject"): ({"Finance"}, None),
    ("tables.Dispute", "take"): ({"Support"}, "tables.integrity.moderation.disputes.take_dispute"),
    ("tables.Dispute", "close"): (
        {"Support"},
        "tables.integrity.moderation.disputes.close_dispute",
    ),
    ("tables.FindingDecision", "approve"): (
        {"Finance"},
        "tables.integrity.collusion.decisions.approve_decision",
    ),
    ("tables.FindingDecision", "reject"): (
        {"Finance"},
        "tables.integrity.collusion.decisions.reject_decision",
    ),
    ("tables.Drain", "lift"): ({"Operations"}, "tables.play.drains.lift"),
    ("tables.TableTemplate", "offer"): ({"Operations"}, None),
    ("tables.TableTemplate", "withdraw"): (
        {"Operations"},
        "tables.lobby.table_templates.actions.set_offered",
    ),
    ("tournaments.StaffAction", "agree"): (
        {"Operations"},
        "tournaments.rounds.stopping.agree_to_abort",
    ),
    ("tournaments.TicketRefund", "approve"): (
        {"Finance"},
        "tournaments.prizes.tickets.approve_refund",
    ),
    ("tournaments.TicketRefund", "reject"): (
        {"Finance"},
        "tournaments.prizes.tickets.reject_refund",
    ),
    ("tournaments.TournamentTemplate", "open_one"): (
        {"Operations"},
        "tournaments.planning.opening.open_by_hand",
    ),
    ("wallet.Adjustment", "approve"): (
        {"Finance"},
        "wallet.corrections.adjustments.approve_adjustment",
    ),
    ("wallet.Adjustment", "reject"): (
        {"Finance"},
        "wallet.corrections.adjustments.reject_adjustment",
    ),
    ("wallet.BonusRequest", "approve"): ({"Finance"}, "wallet.bonuses.requests.approve_bonus"),
    ("wallet.BonusRequest", "reject"): ({"Finance"}, "wallet.bonuses.requests.reject_bonus"),
    ("wallet.DepositTerm", "approve"): ({"Finance"}, "wallet.deposits.terms.approve_term"),
    ("wallet.DepositTerm", "reject"): ({"Finance"}, "wallet.deposits.terms.reject_term"),
    ("finance.WebhookEndpoint", "approve"): ({"Finance"}, None),
    ("finance.WebhookEndpoint", "reject"): ({"Finance"}, None),
    ("finance.WebhookEndpoint", "new_secret"): ({"Finance"}, None),
    ("finance.WebhookEndpoint", "end"): ({"Finance"}, None),
    ("finance.WebhookDelivery", "send_again"): ({"Finance", "Operations"}, None),
    ("finance.FinanceToken", "approve"): ({"Finance"}, None),
    ("finance.FinanceToken", "revoke"): ({"Finance"}, None),
    ("wallet.PaymentReturn", "close"): (
        {"Finance"},
        "wallet.deposits.payment_returns.close_return",
    ),
    ("wallet.StaffTask", "place"): ({"Finance"}, "wallet.deposits.suspense.place_payment"),
    ("wallet.StaffTask", "send_back"): ({"Finance"}, "wallet.deposits.suspense.return_payment"),
    ("wallet.StaffTask", "done"): ({"Finance"}, "wallet.deposits.deposits.finish_task"),
    ("wallet.Withdrawal", "approve"): ({"Finance"}, "wallet.withdrawals.withdrawals.approve"),
    ("wallet.Withdrawal", "reject"): ({"Finance"}, "wallet.withdrawals.withdrawals.reject"),
    ("wallet.Withdrawal", "send_to_bank"): ({"Finance"}, None),
    ("wallet.Withdrawal", "mark_paid"): ({"Finance"}, "wallet.withdrawals.withdrawals.mark_paid"),
    ("wallet.Withdrawal", "mark_failed"): (
        {"Finance"},
        "wallet.withdrawals.withdrawals.mark_failed",
    ),
    ("wallet.WithdrawalFreeze", "clear"): (
        {"Finance"},
        "wallet.audit.withdrawal_freezes.clear_freeze",
    ),
    ("wallet.WithdrawalFreeze", "lift"): (
        {"Finance"},
        "wallet.audit.withdrawal_freezes.lift_freeze",
    ),
}


@dataclass(frozen=True)
class Form:
    """The roles, besides superusers, that may add and change rows; None if nobody may.

    `services` save what the form sends. Without one the form saves its row itself, with an audit
    entry: a role or a player, a canned answer, and the names of accounts in exports.
    """

    adds: set[str] | None
    changes: set[str] | None
    services: tuple[str, ...] = ()


FORMS = {
    "auth.Group": Form(set(), set()),
    "finance.BankStatement": Form({"Finance"}, None, ("finance.bank.actions.keep_statement",)),
    "finance.ChartAccount": Form({"Finance"}, {"Finance"}),
    "finance.FinanceToken": Form({"Finance"}, None, ("finance.tokens.actions.create_token",)),
    "finance.GatewayFile": Form({"Finance"}, None, ("finance.reconciliation.actions.keep_file",)),
    "finance.WebhookEndpoint": Form(
        {"Finance", "Operations"}, None, ("finance.webhooks.actions.request_endpoint",)
    ),
    "players.CannedAnswer": Form({"Support"}, {"Support"}),
    "players.RegionChange": Form(
        {"Finance"}, None, ("players.eligibility.places.region_changes.request_change",)
    ),
    "players.User": Form(set(), {"Support"}),
    "tables.Dispute": Form(
        None, {"Support"}, ("tables.integrity.moderation.disputes.answer_dispute",)
    ),
    "tables.Drain": Form({"Operations"}, None, ("tables.play.drains.begin",)),
    "tables.FindingDecision": Form(
        {"Operations"}, None, ("tables.integrity.collusion.decisions.ask_decision",)
    ),
    "tables.ReviewFlag": Form(
        None, {"Operations", "Support"}, ("tables.integrity.moderation.reviews.review_pair",)
    ),
    "tables.Ruling": Form(
        {"Operations"},
        None,
        (
            "tables.integrity.moderation.rulings.cancel_game",
            "tables.integrity.moderation.rulings.void_deal",
        ),
    ),
    "tables.TableTemplate": Form(
        {"Operations"}, {"Operations"}, ("tables.lobby.table_templates.actions.change_template",)
    ),
    "tournaments.StaffAction": Form(
        {"Operations"},
        None,
        (
            "tournaments.rounds.staff_actions.delay",
            "tournaments.rounds.staff_actions.extend_round",
            "tournaments.rounds.staff_actions.remove",
            "tournaments.rounds.stopping.ask_to_abort",
            "tournaments.rounds.stopping.cancel",
        ),
    ),
    "tournaments.TicketRefund": Form(
        {"Finance"}, None, ("tournaments.prizes.tickets.request_refund",)
    ),
    "tournaments.TournamentTemplate": Form(
        {"Operations"}, {"Operations"}, ("tournaments.planning.opening.change_template",)
    ),
    "wallet.AccountFreeze": Form(
        {"Finance", "Support"},
        None,
        (
            "wallet.audit.account_freezes.freeze_account",
            "wallet.audit.account_freezes.thaw_account",
        ),
    ),
    "wallet.Adjustment": Form(
        {"Finance", "Support"}, None, ("wallet.corrections.adjustments.request_adjustment",)
    ),
    "wallet.BonusRequest": Form(
        {"Finance", "Support"}, None, ("wallet.bonuses.requests.request_bonus",)
    ),
    "wallet.DepositTerm": Form({"Finance"}, None, ("wallet.deposits.terms.request_term",)),
    "wallet.Registration": Form(set(), None, ("wallet.tax.invoices.registration.append",)),
    "wallet.TaxForm": Form(set(), None, ("wallet.tax.invoices.registration.append",)),
    "wallet.TaxRate": Form(set(), None, ("wallet.tax.assessment.append_rate",)),
}
