"""What a player should know although he may not be looking: on the site, and by e-mail."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import ClassVar, Final, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class NoticeQuerySet(models.QuerySet["Notice"]):
    def of_player(self, player: models.Model) -> Self:
        """What the player sees on the site, the newest first."""
        return self.filter(player=player, on_site=True).order_by("-pk")

    def unread(self) -> Self:
        return self.filter(read_at=None)

    def to_be_mailed(self, now: datetime, *, waits: Sequence[timedelta]) -> Self:
        """What waits and has come of age for its next try, the first, second ... of these waits."""
        of_age = models.Q()
        for tries, wait in enumerate(waits):
            of_age |= models.Q(mail_tries=tries, created_at__lte=now - wait)
        return self.filter(of_age, mail=Notice.Mail.DUE)


class Notice(models.Model):
    """One fact told to one player once; words are made of it in the language of its reader."""

    class Topic(models.TextChoices):
        """What players choose by."""

        WITHDRAWAL = "withdrawal", _("Withdrawals")
        DEPOSIT = "deposit", _("Payments disputed or taken back")
        START = "start", _("Starts of tournaments, and places in them")
        CALLED_OFF = "called_off", _("Tournaments called off, or without you")
        PRIZE = "prize", _("Prizes of tournaments")
        TABLE = "table", _("Games cancelled and deals void")

    class Kind(models.TextChoices):
        WITHDRAWAL_APPROVED = "withdrawal_approved"
        WITHDRAWAL_REJECTED = "withdrawal_rejected"
        WITHDRAWAL_PAID = "withdrawal_paid"
        WITHDRAWAL_FAILED = "withdrawal_failed"
        PAYMENT_DISPUTED = "payment_disputed"
        PAYMENT_KEPT = "payment_kept"
        PAYMENT_TAKEN_BACK = "payment_taken_back"
        TOURNAMENT_PLACE = "tournament_place"
        TOURNAMENT_STARTS = "tournament_starts"
        TOURNAMENT_CALLED_OFF = "tournament_called_off"
        TOURNAMENT_PRIZE = "tournament_prize"
        TOURNAMENT_DELAYED = "tournament_delayed"
        TOURNAMENT_REMOVED = "tournament_removed"
        TOURNAMENT_DISQUALIFIED = "tournament_disqualified"
        TOURNAMENT_MISSED = "tournament_missed"
        TOURNAMENT_NO_PLACE = "tournament_no_place"
        TOURNAMENT_NO_TABLE = "tournament_no_table"
        GAME_CANCELLED = "game_cancelled"
        DEAL_VOID = "deal_void"
        SEAT_GIVEN_UP = "seat_given_up"

    class Mail(models.TextChoices):
        # Not wished for, or the player has no confirmed address.
        NONE = "none", "None"
        DUE = "due", "To be sent"
        SENT = "sent", "Sent"
        GIVEN_UP = "given_up", "Given up"

    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="notices"
    )
    # From facts that never change: a repetition is the same notice.
    key = models.CharField(max_length=120)
    kind = models.CharField(max_length=24, choices=Kind)
    # What it is about: its name, and its public id where its page is looked up by that.
    subject = models.CharField(max_length=120)
    about = models.UUIDField(null=True, blank=True)
    # An amount as people read it, and what staff said; both may be empty.
    amount = models.CharField(max_length=40, default="", blank=True)
    remark = models.CharField(max_length=500, default="", blank=True)
    # When what it tells of happens, where that is still to come.
    happens_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    on_site = models.BooleanField(default=True)
    read_at = models.DateTimeField(null=True, blank=True)
    mail = models.CharField(max_length=8, choices=Mail, default=Mail.NONE)
    mail_tries = models.PositiveSmallIntegerField(default=0)

    objects = NoticeQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["player", "key"], name="players_notice_told_once"),
            models.CheckConstraint(
                condition=models.Q(mail__in=["none", "due", "sent", "given_up"]),
                name="players_notice_mail_known",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["player"],
                condition=models.Q(on_site=True, read_at=None),
                name="players_notice_unread",
            ),
            models.Index(
                fields=["id"], condition=models.Q(mail="due"), name="players_notice_to_be_mailed"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} for player {self.player_id}"

    @property
    def topic(self) -> Notice.Topic:
        return TOPIC_OF[Notice.Kind(self.kind)]


TOPIC_OF: Final = {
    Notice.Kind.WITHDRAWAL_APPROVED: Notice.Topic.WITHDRAWAL,
    Notice.Kind.WITHDRAWAL_REJECTED: Notice.Topic.WITHDRAWAL,
    Notice.Kind.WITHDRAWAL_PAID: Notice.Topic.WITHDRAWAL,
    Notice.Kind.WITHDRAWAL_FAILED: Notice.Topic.WITHDRAWAL,
    Notice.Kind.PAYMENT_DISPUTED: Notice.Topic.DEPOSIT,
    Notice.Kind.PAYMENT_KEPT: Notice.Topic.DEPOSIT,
    Notice.Kind.PAYMENT_TAKEN_BACK: Notice.Topic.DEPOSIT,
    Notice.Kind.TOURNAMENT_PLACE: Notice.Topic.START,
    Notice.Kind.TOURNAMENT_STARTS: Notice.Topic.START,
    Notice.Kind.TOURNAMENT_CALLED_OFF: Notice.Topic.CALLED_OFF,
    Notice.Kind.TOURNAMENT_PRIZE: Notice.Topic.PRIZE,
    Notice.Kind.TOURNAMENT_DELAYED: Notice.Topic.START,
    Notice.Kind.TOURNAMENT_REMOVED: Notice.Topic.CALLED_OFF,
    Notice.Kind.TOURNAMENT_DISQUALIFIED: Notice.Topic.CALLED_OFF,
    Notice.Kind.TOURNAMENT_MISSED: Notice.Topic.CALLED_OFF,
    Notice.Kind.TOURNAMENT_NO_PLACE: Notice.Topic.CALLED_OFF,
    Notice.Kind.TOURNAMENT_NO_TABLE: Notice.Topic.CALLED_OFF,
    Notice.Kind.GAME_CANCELLED: Notice.Topic.TABLE,
    Notice.Kind.DEAL_VOID: Notice.Topic.TABLE,
    Notice.Kind.SEAT_GIVEN_UP: Notice.Topic.TABLE,
}


class NoticeChoice(models.Model):
    """How a player wants to be told of a topic; without a row: both ways."""

    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="notice_choices"
    )
    topic = models.CharField(max_length=12, choices=Notice.Topic)
    on_site = models.BooleanField(default=True)
    by_mail = models.BooleanField(default=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["player", "topic"], name="players_noticechoice_once"),
        ]

    def __str__(self) -> str:
        return f"{self.topic} for player {self.player_id}"
