"""Tables whose rows may be deleted, and models whose rows are not watched."""

from __future__ import annotations

# What a player or a sweep does away with: sign-ins, rights, read notifications, old answers,
# old events.
DELETED = {
    "auth_group",
    "auth_group_permissions",
    "auth_permission",
    "django_content_type",
    "django_session",
    "account_emailaddress",
    "account_emailconfirmation",
    "mfa_authenticator",
    "usersessions_usersession",
    "players_notification",
    "wallet_idempotentrequest",
    "players_user_groups",
    "players_user_user_permissions",
    "axes_accessattempt",
    "axes_accessattemptexpiration",
    "axes_accesslog",
    "axes_accessfailurelog",
    "players_playertoken",
    "players_taxnumber",
    "players_phonenumber",
    "players_pushsubscription",
    "core_event",
    "finance_webhookdelivery",
}

# Models whose rows say nothing about money or a result, or are recomputed from others.
NOT_WATCHED = {
    "wallet.transfer": "sealed with its entries",
    "wallet.entry": "sealed with its transfer",
    "wallet.rowversion": "sealed itself",
    "tables.move": "hashed when their deal is over; while it is played, not seen",
    "tables.address": "compared with its table's public id",
    "tables.heartbeat": "a clock",
    "tables.outage": "a clock",
    "tables.drain": "stops new deals and moves nothing",
    "tables.seatorigin": "hashes of addresses",
    "tables.reviewflag": "accuses nobody",
    "tables.finding": "what was counted; it accuses nobody and moves nothing",
    "tables.findingfact": "figures of a finding, counted from rows that are watched",
    "tournaments.entryorigin": "hashes of addresses",
    "finance.exportjob": "the progress of an export",
    "finance.webhookendpoint": "where facts are told; it moves nothing",
    "finance.webhookdelivery": "whether a fact was told",
    "finance.chartaccount": "how exports name accounts; the ledger does not read it",
}
