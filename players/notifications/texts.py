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
        "A bank account ending in %(subject)s is registered for your withdrawals. Money goes to it "
        "not earlier than %(time)s. If that was not you, change your password and write to us at "
        "once."
    ),
    Kind.WITHDRAWAL_APPROVED: gettext_lazy(
        "Your withdrawal of %(amount)s is approved and goes to your bank with the next file."
    ),
    Kind.WITHDRAWAL_REJECTED: gettext_lazy(
        "Your withdrawal of %(amount)s was rejected; the money is back in your wallet."
    ),
    Kind.WITHDRAWAL_PAID: gettext_lazy("Your withdrawal of %(amount)s has been paid to your bank."),
    Kind.WITHDRAWAL_FAILED: gettext_lazy(
        "Your bank refused the withdrawal of %(amount)s; the money is back in your wallet."
    ),
    Kind.TAX_RESIDENCE_ACCEPTED: gettext_lazy(
        "Your declaration of tax residence is accepted. Tax withheld from now on follows it."
    ),
    Kind.TAX_RESIDENCE_REFUSED: gettext_lazy(
        "Your declaration of tax residence was refused; the rate stays as it is."
    ),
    Kind.PAYMENT_DISPUTED: gettext_lazy(
        "Your payment of %(amount)s is disputed or being refunded. Until that is decided you "
        "cannot withdraw."
    ),
    Kind.PAYMENT_KEPT: gettext_lazy(
        "Nothing is taken back of your payment: %(amount)s stay. It no longer stops withdrawals."
    ),
    Kind.PAYMENT_TAKEN_BACK: gettext_lazy(
        "%(amount)s of your payment went back to your bank and left your wallet. What your wallet "
        "did not hold is owed, and your next deposits pay it first."
    ),
    Kind.TOURNAMENT_PLACE: gettext_lazy(
        "A place in %(subject)s became free: you are in, and %(amount)s has been paid for it."
    ),
    Kind.TOURNAMENT_STARTS: gettext_lazy("%(subject)s starts at %(time)s."),
    Kind.TOURNAMENT_CALLED_OFF: gettext_lazy(
        "%(subject)s was called off. Your entry, or your share of the prizes, is in your wallet."
    ),
    Kind.TOURNAMENT_PRIZE: gettext_lazy("You won %(amount)s in %(subject)s."),
    Kind.TOURNAMENT_DELAYED: gettext_lazy(
        "The start of %(subject)s was put off: it starts at %(time)s. Your place stands."
    ),
    Kind.TOURNAMENT_REMOVED: gettext_lazy(
        "You were removed from %(subject)s; what you had paid for it is back where it came from."
    ),
    Kind.TOURNAMENT_DISQUALIFIED: gettext_lazy(
        "You were removed from %(subject)s while it was played; you keep the place you had reached."
    ),
    Kind.TOURNAMENT_MISSED: gettext_lazy(
        "You had not checked in when %(subject)s started: it is played without you, and your entry "
        "is back where it came from."
    ),
    Kind.TOURNAMENT_NO_PLACE: gettext_lazy(
        "No place in %(subject)s became free for you before it started; nothing was paid."
    ),
    Kind.TOURNAMENT_NO_TABLE: gettext_lazy(
        "Too few came late for another table of %(subject)s; your entry is back where it came from."
    ),
    Kind.GAME_CANCELLED: gettext_lazy(
        "The game at %(subject)s was cancelled; what is due to you is in your wallet."
    ),
    Kind.DEAL_VOID: gettext_lazy("The deal at %(subject)s was void; it counts for nothing."),
    Kind.SEAT_GIVEN_UP: gettext_lazy(
        "Your seat at %(subject)s was given up while it waited for players, and what you had paid "
        "in is back where it came from: you were away, are on a break, or play is on hold."
    ),
    Kind.TABLE_STARTS: gettext_lazy("The game at %(subject)s starts."),
    Kind.STAFF_MESSAGE: gettext_lazy("Our staff have written to you. It is about: %(subject)s."),
    Kind.PLACE_POINTS_ONLY: gettext_lazy(
        "From %(time)s we offer play for points only where you live. Games for money that have "
        "begun are played to their end, and you can withdraw your money."
    ),
    Kind.PLACE_WINDS_DOWN: gettext_lazy(
        "From %(time)s we take no more money in from players who live where you do. Games that "
        "have begun are played to their end. Please withdraw your money: withdrawals stay open."
    ),
    Kind.PLACE_PROHIBITED: gettext_lazy(
        "From %(time)s playing is prohibited where you live, with play points too. Games that have "
        "begun are played to their end. Please withdraw your money: withdrawals stay open."
    ),
    Kind.FACTOR_LINK: gettext_lazy(
        "A link to set up a second factor was made for %(subject)s of staff. If nobody should have "
        "one, block the account and look into the audit log."
    ),
    Kind.FACTOR_SET_UP: gettext_lazy(
        "%(subject)s of staff has set up a second factor. If that was not them, block the account "
        "and look into the audit log."
    ),
    Kind.STAFF_ACT: gettext_lazy("Recorded in your name on %(time)s: %(subject)s."),
    Kind.STAFF_DECIDED: gettext_lazy(
        "A request in your name was decided by another person on %(time)s: %(subject)s."
    ),
    Kind.YOUR_TURN: gettext_lazy("It is your turn at %(subject)s."),
}
# What to do about a decision in one's name that one has not made.
ADVICE: Final = gettext_lazy(
    "If that was not you, change your password, sign out everywhere and write to a superuser at "
    "once; the decision is in the audit log."
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
    Notification.Topic.STAFF: ("messages", "messages"),
    Notification.Topic.PLACE: ("withdrawals", "withdrawals"),
}
# Of kinds whose details are on another page than those of their topic.
PAGES_OF_KINDS: Final = {
    Kind.TAX_RESIDENCE_ACCEPTED: "tax-residence",
    Kind.TAX_RESIDENCE_REFUSED: "tax-residence",
}


def text_of(notification: Notification) -> str:
    """Return what happened, and the remark of staff or what to do, in the active time zone."""
    text = event_text(notification)
    if notification.kind in OF_DECISIONS:
        return f"{text} {ADVICE}"
    if notification.remark:
        remark = _("Our remark: %(remark)s") % {"remark": notification.remark}
        return f"{text} {remark}"
    return text


def event_text(notification: Notification) -> str:
    """Return what happened, with times in the active time zone."""
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
