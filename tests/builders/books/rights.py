"""Tables whose rows may be deleted, and models without versions."""

from __future__ import annotations

# The tables in which the application may delete rows, each with what deletes them.
DELETED = {
    "account_emailaddress": "players remove an address; a closed account has none",
    "account_emailconfirmation": "Django deletes those of an address with it",
    "auth_group": "staff remove a role in the admin",
    "auth_group_permissions": "staff take a right from a role",
    "axes_accessattempt": "a sign-in that succeeds, or the end of the lockout",
    "axes_accessattemptexpiration": "Django deletes that of an attempt with it",
    "core_event": "the sweep of old events",
    "django_session": "signing out, and the sweep of expired sessions",
    "finance_webhookdelivery": "Django deletes those of an old event with it",
    "mfa_authenticator": "players and staff remove a second factor",
    "players_accountchange": "the sweep of old changes; a closed account has none",
    "players_notification": "the sweep of old notifications; a closed account has none",
    "players_phonenumber": "the sweep of replaced numbers that no self-exclusion needs",
    "players_playertoken": "players end a token",
    "players_pushsubscription": "devices that signed out or are gone",
    "players_taxnumber": "staff remove a mistyped number",
    "players_user_groups": "staff take a role from a person",
    "players_user_user_permissions": "staff take a right from a person",
    "tables_block": "players unblock others; a closed account has no blocks",
    "tables_rating": "ratings are computed again from the games",
    "tables_ratingchange": "ratings are computed again from the games",
    "usersessions_usersession": "signing out",
    "wallet_idempotentrequest": "the sweep of old answers to money requests",
}

# Models that do not concern money or results, or are recomputed from others.
NOT_WATCHED = {
    "wallet.transfer": "sealed with its entries",
    "wallet.entry": "sealed with its transfer",
    "wallet.rowversion": "sealed itself",
    "tables.move": "hashed when their deal is over; while it is played, not seen",
    "tables.address": "compared with its table's public id",
    "tables.heartbeat": "a clock",
    "tables.outage": "a clock",
    "tables.seatorigin": "hashes of addresses",
    "tables.block": "players' own lists of blocked players",
    "tables.rating": "computed from results, and compared by recompute_ratings",
    "tables.ratingchange": "computed from results, and compared by recompute_ratings",
    "tournaments.entryorigin": "hashes of addresses",
    "finance.balancetreepart": "hashed by the root of its tree",
    "finance.csvlayout": "how a bank's CSV is read; each change is in the audit log",
    "finance.exportjob": "the progress of an export",
    "finance.webhookdelivery": "whether an event was delivered",
    "players.playername": "copied from players' rows by a trigger, and written by nothing else",
    "players.remarkemail": "whether an answer was sent by e-mail",
    "players.cannedanswer": "texts that staff choose from",
    "players.notification": "messages, which a sweep deletes",
    "players.notificationchoice": "which messages a player receives",
    "players.pushsubscription": "devices that messages are sent to",
}
