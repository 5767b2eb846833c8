"""The texts of notifications, rendered in the active language."""

from __future__ import annotations

from typing import Final

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.text_validation import named
from players.notifications.models import OF_DECISIONS, Notification

Kind = Notification.Kind

TEXTS: Final = {
    Kind.PAYEE_REGISTERED: gettext_lazy(
        "A bank account ending in %(subject)s was registered for your withdrawals. It can be used "
        "from %(time)s. If this was not you, change your password and contact us immediately."
    ),
    Kind.WITHDRAWAL_APPROVED: gettext_lazy(
        "Your withdrawal of %(amount)s is approved and will be sent to your bank soon."
    ),
    Kind.WITHDRAWAL_REJECTED: gettext_lazy(
        "Your withdrawal of %(amount)s was rejected. The money is back in your wallet."
    ),
    Kind.WITHDRAWAL_PAID: gettext_lazy("Your withdrawal of %(amount)s has been paid to your bank."),
    Kind.WITHDRAWAL_FAILED: gettext_lazy(
        "Your bank refused the withdrawal of %(amount)s. The money is back in your wallet."
    ),
    Kind.TAX_RESIDENCE_ACCEPTED: gettext_lazy(
        "Your declaration of tax residence is accepted and applies to tax withheld from now on."
    ),
    Kind.TAX_RESIDENCE_REFUSED: gettext_lazy(
        "Your declaration of tax residence was refused. Your tax rate does not change."
    ),
    Kind.PAYMENT_DISPUTED: gettext_lazy(
        "Your payment of %(amount)s is disputed or being refunded. You cannot withdraw money until "
        "this is resolved."
    ),
    Kind.PAYMENT_KEPT: gettext_lazy(
        "Your payment of %(amount)s is no longer disputed and no longer blocks withdrawals."
    ),
    Kind.PAYMENT_TAKEN_BACK: gettext_lazy(
        "%(amount)s of your payment went back to your bank and was taken from your wallet. If your "
        "wallet had less, your next deposits pay the rest first."
    ),
    Kind.TOURNAMENT_PLACE: gettext_lazy(
        "You have a place in %(subject)s from the waiting list. %(amount)s was paid for your entry."
    ),
    Kind.TOURNAMENT_STARTS: gettext_lazy("%(subject)s starts at %(time)s."),
    Kind.TOURNAMENT_CALLED_OFF: gettext_lazy(
        "%(subject)s was cancelled. Your entry, or your share of the prizes, is in your wallet."
    ),
    Kind.TOURNAMENT_PRIZE: gettext_lazy("You won %(amount)s in %(subject)s."),
    Kind.TOURNAMENT_TICKET: gettext_lazy(
        "You won a ticket worth %(amount)s in %(subject)s. It is in your wallet."
    ),
    Kind.SEASON_PRIZE: gettext_lazy(
        "%(subject)s has ended. You won %(amount)s, which is in your wallet."
    ),
    Kind.SEASON_DIVISION: gettext_lazy(
        "%(subject)s has ended. You play the next season in division %(amount)s."
    ),
    Kind.TOURNAMENT_DELAYED: gettext_lazy(
        "%(subject)s now starts at %(time)s. You keep your place."
    ),
    Kind.TOURNAMENT_BREAK: gettext_lazy(
        "You are through round 1 of %(subject)s. Until %(time)s you can buy the add-on for "
        "%(amount)s."
    ),
    Kind.TOURNAMENT_REMOVED: gettext_lazy(
        "You were removed from %(subject)s. Your entry was refunded."
    ),
    Kind.TOURNAMENT_DISQUALIFIED: gettext_lazy(
        "You were removed from %(subject)s during play. You keep the place that you had reached."
    ),
    Kind.TOURNAMENT_MISSED: gettext_lazy(
        "You had not checked in when %(subject)s started. It is played without you, and your entry "
        "was refunded."
    ),
    Kind.TOURNAMENT_NO_PLACE: gettext_lazy(
        "No place in %(subject)s became free for you before it started. You paid nothing."
    ),
    Kind.TOURNAMENT_NO_TABLE: gettext_lazy(
        "Too few late players joined %(subject)s for another table. Your entry was refunded."
    ),
    Kind.GAME_CANCELLED: gettext_lazy(
        "The game at %(subject)s was cancelled. The money due to you is in your wallet."
    ),
    Kind.DEAL_VOID: gettext_lazy("The deal at %(subject)s was void and does not count."),
    Kind.SEAT_GIVEN_UP: gettext_lazy(
        "You lost your seat at %(subject)s before the game started, because you were away, are on "
        "a break, or play is on hold for your account. Your stake was refunded."
    ),
    Kind.TABLE_STARTS: gettext_lazy("The game at %(subject)s starts."),
    Kind.TABLE_INVITATION: gettext_lazy("%(subject)s invites you to a private table."),
    Kind.REPORT_UPHELD: gettext_lazy(
        "We have reviewed your report about a player and have taken action. Thank you."
    ),
    Kind.REPORT_REJECTED: gettext_lazy(
        "We have reviewed your report about a player and found no breach of the rules."
    ),
    Kind.CONDUCT_IN_ORDER: gettext_lazy(
        "Our staff have reviewed your conduct at the tables and found no breach of the rules."
    ),
    Kind.CONDUCT_WARNED: gettext_lazy(
        "Our staff have reviewed your conduct at the tables. This is a warning: if the breach is "
        "repeated, your account may be restricted."
    ),
    Kind.CONDUCT_RESTRICTED: gettext_lazy(
        "Our staff have reviewed your conduct at the tables and restricted your account. If you "
        "disagree, write to our support."
    ),
    Kind.STAFF_MESSAGE: gettext_lazy("You have a message from our staff about: %(subject)s."),
    Kind.PLACE_POINTS_ONLY: gettext_lazy(
        "From %(time)s we offer only play points where you live. Games for money in progress are "
        "played to their end, and you can withdraw your money."
    ),
    Kind.PLACE_WINDS_DOWN: gettext_lazy(
        "From %(time)s deposits and play for money end where you live. Games in progress are "
        "played to their end. Please withdraw your money; withdrawals remain possible."
    ),
    Kind.PLACE_PROHIBITED: gettext_lazy(
        "From %(time)s play is prohibited where you live, including play points. Games in progress "
        "are played to their end. Please withdraw your money; withdrawals remain possible."
    ),
    Kind.FACTOR_LINK: gettext_lazy(
        "A link to set up a second factor was created for the staff account %(subject)s. If this "
        "is unexpected, block the account and check the audit log."
    ),
    Kind.FACTOR_SET_UP: gettext_lazy(
        "The staff account %(subject)s has set up a second factor. If this is unexpected, block "
        "the account and check the audit log."
    ),
    Kind.STAFF_ACTION: gettext_lazy("Recorded in your name on %(time)s: %(subject)s."),
    Kind.STAFF_DECIDED: gettext_lazy(
        "A request in your name was decided by another person on %(time)s: %(subject)s."
    ),
    Kind.YOUR_TURN: gettext_lazy("It is your turn at %(subject)s."),
}
# Added to notifications about decisions.
ADVICE: Final = gettext_lazy(
    "If this was not you, change your password, sign out everywhere and contact a superuser "
    "immediately. The decision is in the audit log."
)
# URL names of the page with the details: of one object, and of the list.
PAGES: Final = {
    Notification.Topic.WITHDRAWAL: ("withdrawals", "withdrawals"),
    Notification.Topic.SECURITY: ("account", "account"),
    Notification.Topic.DEPOSIT: ("deposit", "deposits"),
    Notification.Topic.START: ("tournament", "tournaments"),
    Notification.Topic.CALLED_OFF: ("tournament", "tournaments"),
    Notification.Topic.PRIZE: ("tournament", "tournaments"),
    Notification.Topic.TABLE: ("game", "history"),
    Notification.Topic.TURN: ("table", "lobby"),
    Notification.Topic.STAFF: ("thread", "messages"),
    Notification.Topic.PLACE: ("withdrawals", "withdrawals"),
    Notification.Topic.INVITATION: ("invited", "people"),
}
# Kinds whose details are on another page than those of their topic.
PAGES_OF_KINDS: Final = {
    Kind.TAX_RESIDENCE_ACCEPTED: "tax-residence",
    Kind.TAX_RESIDENCE_REFUSED: "tax-residence",
    Kind.SEASON_PRIZE: "leagues",
    Kind.SEASON_DIVISION: "leagues",
    **dict.fromkeys(
        (
            Kind.REPORT_UPHELD,
            Kind.REPORT_REJECTED,
            Kind.CONDUCT_IN_ORDER,
            Kind.CONDUCT_WARNED,
            Kind.CONDUCT_RESTRICTED,
        ),
        "people",
    ),
}


def text_of(notification: Notification) -> str:
    """Return the text with the remark of staff or advice, with times in the active time zone."""
    text = event_text(notification)
    if notification.kind in OF_DECISIONS:
        return f"{text} {ADVICE}"
    if notification.remark:
        remark = _("Our remark: %(remark)s") % {"remark": notification.remark}
        return f"{text} {remark}"
    return text


def event_text(notification: Notification) -> str:
    """Return the text of the event, with times in the active time zone."""
    time = ""
    if notification.happens_at is not None:
        time = date_format(timezone.localtime(notification.happens_at), "j M Y, H:i")
    subject = named(notification.subject)
    values = {"amount": notification.amount, "subject": subject, "time": time}
    return str(TEXTS[Kind(notification.kind)]) % values


def path_of(notification: Notification) -> str:
    """Return the path of the page with the details."""
    if page := PAGES_OF_KINDS.get(Kind(notification.kind)):
        return reverse(page)
    detail, listing = PAGES[notification.topic]
    return reverse(detail, args=[notification.about]) if notification.about else reverse(listing)
