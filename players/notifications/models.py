"""Notifications to players, on the site and by e-mail, and how players choose them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import ClassVar, Final, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.db.identifiers import ProtectedForeignKey


class NotificationQuerySet(models.QuerySet["Notification"]):
    def of_player(self, player: models.Model) -> Self:
        """Return the player's notifications on the site, the newest first."""
        return self.filter(player=player, on_site=True).order_by("-pk")

    def unread(self) -> Self:
        return self.filter(read_at=None)

    def not_of_decisions(self) -> Self:
        return self.exclude(kind__in=OF_DECISIONS)

    def to_be_mailed(self, now: datetime, *, delays: Sequence[timedelta]) -> Self:
        """Return those whose next attempt is due; `delays` has the minimum age for each attempt."""
        due = models.Q()
        for tries, delay in enumerate(delays):
            due |= models.Q(mail_tries=tries, created_at__lte=now - delay)
        return self.filter(due, mail=Notification.Mail.DUE)

    def to_be_pushed(self) -> Self:
        return self.filter(is_push_due=True)


class Notification(models.Model):
    """One event reported to one player; the text is rendered in the reader's language."""

    class Topic(models.TextChoices):
        """The topics that players can turn on and off."""

        WITHDRAWAL = "withdrawal", _("Withdrawals")
        SECURITY = "security", _("Security of your account")
        DEPOSIT = "deposit", _("Disputed or reversed payments")
        START = "start", _("Tournament starts and places")
        CALLED_OFF = "called_off", _("Tournaments cancelled, or played without you")
        PRIZE = "prize", _("Tournament prizes")
        TABLE = "table", _("Cancelled games and void deals")
        STAFF = "staff", _("Messages from our staff")
        PLACE = "place", _("Games offered where you live")
        TURN = "turn", _("Your turn and starting tables, while you are away")
        INVITATION = "invitation", _("Invitations to private tables")

    class Kind(models.TextChoices):
        PAYEE_REGISTERED = "payee_registered"
        WITHDRAWAL_APPROVED = "withdrawal_approved"
        WITHDRAWAL_REJECTED = "withdrawal_rejected"
        WITHDRAWAL_PAID = "withdrawal_paid"
        WITHDRAWAL_FAILED = "withdrawal_failed"
        TAX_RESIDENCE_ACCEPTED = "tax_residence_accepted"
        TAX_RESIDENCE_REFUSED = "tax_residence_refused"
        PAYMENT_DISPUTED = "payment_disputed"
        PAYMENT_KEPT = "payment_kept"
        PAYMENT_TAKEN_BACK = "payment_taken_back"
        TOURNAMENT_PLACE = "tournament_place"
        TOURNAMENT_STARTS = "tournament_starts"
        TOURNAMENT_CALLED_OFF = "tournament_called_off"
        TOURNAMENT_PRIZE = "tournament_prize"
        TOURNAMENT_TICKET = "tournament_ticket"
        SEASON_PRIZE = "season_prize"
        SEASON_DIVISION = "season_division"
        TOURNAMENT_DELAYED = "tournament_delayed"
        TOURNAMENT_BREAK = "tournament_break"
        TOURNAMENT_REMOVED = "tournament_removed"
        TOURNAMENT_DISQUALIFIED = "tournament_disqualified"
        TOURNAMENT_MISSED = "tournament_missed"
        TOURNAMENT_NO_PLACE = "tournament_no_place"
        TOURNAMENT_NO_TABLE = "tournament_no_table"
        GAME_CANCELLED = "game_cancelled"
        DEAL_VOID = "deal_void"
        SEAT_GIVEN_UP = "seat_given_up"
        TABLE_STARTS = "table_starts"
        YOUR_TURN = "your_turn"
        TABLE_INVITATION = "table_invitation"
        REPORT_UPHELD = "report_upheld"
        REPORT_REJECTED = "report_rejected"
        CONDUCT_IN_ORDER = "conduct_in_order"
        CONDUCT_WARNED = "conduct_warned"
        CONDUCT_RESTRICTED = "conduct_restricted"
        STAFF_MESSAGE = "staff_message"
        PLACE_POINTS_ONLY = "place_points_only"
        PLACE_WINDS_DOWN = "place_winds_down"
        PLACE_PROHIBITED = "place_prohibited"
        FACTOR_LINK = "factor_link"
        FACTOR_SET_UP = "factor_set_up"
        # Written by the database with the entry in the audit log (`sql/staff_actions.sql`).
        STAFF_ACTION = "staff_action"
        STAFF_DECIDED = "staff_decided"

    class Mail(models.TextChoices):
        # Opted out, or the player has no confirmed address.
        NONE = "none", _("None")
        DUE = "due", _("To be sent")
        SENT = "sent", _("Sent")
        GIVEN_UP = "given_up", _("Given up")

    player = ProtectedForeignKey(
        settings.AUTH_USER_MODEL, related_name="notifications", db_index=False
    )
    # Idempotency key, derived from facts that never change.
    key = models.CharField(max_length=120)
    kind = models.CharField(max_length=24, choices=Kind)
    # The name of the object concerned, and its public id if its page's URL has it.
    subject = models.CharField(max_length=120)
    about = models.UUIDField(null=True, blank=True)
    # A formatted amount, and the reason given by staff.
    amount = models.CharField(max_length=40, default="", blank=True)
    remark = models.CharField(max_length=500, default="", blank=True)
    # The time of an event still to come.
    happens_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    on_site = models.BooleanField(default=True)
    read_at = models.DateTimeField(null=True, blank=True)
    mail = models.CharField(max_length=8, choices=Mail, default=Mail.NONE)
    mail_tries = models.PositiveSmallIntegerField(default=0)
    # Tried once, because a message about a turn is useless later.
    is_push_due = models.BooleanField(default=False)

    objects = NotificationQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["player", "key"], name="players_notification_once"),
            models.CheckConstraint(
                condition=models.Q(mail__in=["none", "due", "sent", "given_up"]),
                name="players_notification_mail_known",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["player"],
                condition=models.Q(on_site=True, read_at=None),
                name="players_notification_unread",
            ),
            models.Index(
                fields=["id"], condition=models.Q(mail="due"), name="players_notification_due"
            ),
            models.Index(
                fields=["id"],
                condition=models.Q(is_push_due=True),
                name="players_notification_push_due",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} for {self.player}"

    @property
    def topic(self) -> Notification.Topic:
        return TOPIC_OF[Notification.Kind(self.kind)]


TOPIC_OF: Final = {
    Notification.Kind.PAYEE_REGISTERED: Notification.Topic.SECURITY,
    Notification.Kind.WITHDRAWAL_APPROVED: Notification.Topic.WITHDRAWAL,
    Notification.Kind.WITHDRAWAL_REJECTED: Notification.Topic.WITHDRAWAL,
    Notification.Kind.WITHDRAWAL_PAID: Notification.Topic.WITHDRAWAL,
    Notification.Kind.WITHDRAWAL_FAILED: Notification.Topic.WITHDRAWAL,
    # Tax residence decides the tax on withdrawals.
    Notification.Kind.TAX_RESIDENCE_ACCEPTED: Notification.Topic.WITHDRAWAL,
    Notification.Kind.TAX_RESIDENCE_REFUSED: Notification.Topic.WITHDRAWAL,
    Notification.Kind.PAYMENT_DISPUTED: Notification.Topic.DEPOSIT,
    Notification.Kind.PAYMENT_KEPT: Notification.Topic.DEPOSIT,
    Notification.Kind.PAYMENT_TAKEN_BACK: Notification.Topic.DEPOSIT,
    Notification.Kind.TOURNAMENT_PLACE: Notification.Topic.START,
    Notification.Kind.TOURNAMENT_STARTS: Notification.Topic.START,
    Notification.Kind.TOURNAMENT_CALLED_OFF: Notification.Topic.CALLED_OFF,
    Notification.Kind.TOURNAMENT_PRIZE: Notification.Topic.PRIZE,
    Notification.Kind.TOURNAMENT_TICKET: Notification.Topic.PRIZE,
    Notification.Kind.SEASON_PRIZE: Notification.Topic.PRIZE,
    Notification.Kind.SEASON_DIVISION: Notification.Topic.PRIZE,
    Notification.Kind.TOURNAMENT_DELAYED: Notification.Topic.START,
    Notification.Kind.TOURNAMENT_BREAK: Notification.Topic.START,
    Notification.Kind.TOURNAMENT_REMOVED: Notification.Topic.CALLED_OFF,
    Notification.Kind.TOURNAMENT_DISQUALIFIED: Notification.Topic.CALLED_OFF,
    Notification.Kind.TOURNAMENT_MISSED: Notification.Topic.CALLED_OFF,
    Notification.Kind.TOURNAMENT_NO_PLACE: Notification.Topic.CALLED_OFF,
    Notification.Kind.TOURNAMENT_NO_TABLE: Notification.Topic.CALLED_OFF,
    Notification.Kind.GAME_CANCELLED: Notification.Topic.TABLE,
    Notification.Kind.DEAL_VOID: Notification.Topic.TABLE,
    Notification.Kind.SEAT_GIVEN_UP: Notification.Topic.TABLE,
    Notification.Kind.TABLE_STARTS: Notification.Topic.TURN,
    Notification.Kind.YOUR_TURN: Notification.Topic.TURN,
    Notification.Kind.TABLE_INVITATION: Notification.Topic.INVITATION,
    Notification.Kind.REPORT_UPHELD: Notification.Topic.STAFF,
    Notification.Kind.REPORT_REJECTED: Notification.Topic.STAFF,
    Notification.Kind.CONDUCT_IN_ORDER: Notification.Topic.STAFF,
    Notification.Kind.CONDUCT_WARNED: Notification.Topic.STAFF,
    Notification.Kind.CONDUCT_RESTRICTED: Notification.Topic.STAFF,
    Notification.Kind.STAFF_MESSAGE: Notification.Topic.STAFF,
    Notification.Kind.PLACE_POINTS_ONLY: Notification.Topic.PLACE,
    Notification.Kind.PLACE_WINDS_DOWN: Notification.Topic.PLACE,
    Notification.Kind.PLACE_PROHIBITED: Notification.Topic.PLACE,
    Notification.Kind.FACTOR_LINK: Notification.Topic.SECURITY,
    Notification.Kind.FACTOR_SET_UP: Notification.Topic.SECURITY,
    Notification.Kind.STAFF_ACTION: Notification.Topic.SECURITY,
    Notification.Kind.STAFF_DECIDED: Notification.Topic.SECURITY,
}
# Kinds that are pushed to devices, and how long the push is useful.
PUSHED_FOR: Final = {
    Notification.Kind.YOUR_TURN: timedelta(seconds=60),
    Notification.Kind.TABLE_STARTS: timedelta(minutes=2),
    Notification.Kind.TOURNAMENT_STARTS: timedelta(minutes=10),
    Notification.Kind.TOURNAMENT_BREAK: timedelta(minutes=2),
    Notification.Kind.TABLE_INVITATION: timedelta(minutes=10),
    Notification.Kind.WITHDRAWAL_PAID: timedelta(days=1),
}
PUSHED_TOPICS: Final = frozenset(TOPIC_OF[kind] for kind in PUSHED_FOR)
# Cannot be turned off: an intruder in the account would do that first.
ALWAYS_SENT: Final = frozenset({Notification.Topic.SECURITY})
# Their e-mails go to every verified address (`players.sign_in.security.letters`).
MAILED_TO_ALL: Final = frozenset({Notification.Kind.PAYEE_REGISTERED})
# Decisions in a person's name: kept for a year, and mailed together (`mail.mail_decisions`).
OF_DECISIONS: Final = frozenset({Notification.Kind.STAFF_ACTION, Notification.Kind.STAFF_DECIDED})
# Useful only immediately: pushed, but neither shown on the site nor sent by e-mail.
PUSHED_ALONE: Final = frozenset({Notification.Topic.TURN})
# Sent by other players, and useful for minutes only.
NEVER_MAILED: Final = frozenset({Notification.Topic.INVITATION})


class NotificationChoice(models.Model):
    """The channels on which a player is notified of a topic; without a row all of them."""

    player = ProtectedForeignKey(
        settings.AUTH_USER_MODEL, related_name="notification_choices", db_index=False
    )
    topic = models.CharField(max_length=12, choices=Notification.Topic)
    on_site = models.BooleanField(default=True)
    by_mail = models.BooleanField(default=True)
    # On devices for which the player has turned on push notifications.
    by_push = models.BooleanField(default=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["player", "topic"], name="players_notificationchoice_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.topic} for {self.player}"
