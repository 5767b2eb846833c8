from __future__ import annotations

from typing import Any, ClassVar, Final, Self

from django.conf import settings
from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.core.validators import RegexValidator
from django.db import models, transaction
from django.db.models.functions import Cast, Collate, Lower, Right
from django.dispatch import Signal
from django.utils.translation import gettext_lazy as _

from core import audit_log
from core.clock import CreatedAtField
from core.db.identifiers import ProtectedForeignKey, ProtectedOneToOneField, new_public_id
from players.accounts import consent
from players.accounts.avatars import Avatar, avatar_of
from players.accounts.places import place_name

# Minutes between reality checks (wins and losses since sign-in); 0 for never.
REALITY_CHECK_MINUTES: Final = (0, 15, 30, 60)
HANDLE_PATTERN = r"\A[A-Za-z0-9_]{3,20}\Z"


# Of the searches by staff, with an index each.
PLAIN_HANDLE: Final = Collate(Lower("handle"), "C")
PLAIN_EMAIL: Final = Collate(Lower("email"), "C")
SHORT_CODE: Final = Right(Cast("public_id", models.TextField()), 8)
LAST_CHARACTER: Final = "\U0010ffff"

# Sent with `user` in the transaction that replaces a password's hash by a stronger one.
password_stored: Final = Signal()


class LowerCaseEmailField(models.EmailField[Any, Any]):
    """E-mail field that stores addresses in lower case, as allauth does."""

    def get_prep_value(self, value: Any) -> Any:
        """Return the address in lower case."""
        prepared = super().get_prep_value(value)
        return prepared.lower() if isinstance(prepared, str) else prepared

    def deconstruct(self) -> Any:
        """Return Django's `EmailField`, so that migrations do not import this class."""
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.EmailField", args, kwargs


class UserQuerySet(models.QuerySet["User"]):
    def people(self) -> Self:
        return self.filter(is_bot=False)

    def bots(self) -> Self:
        """Return the site's active practice bots, without the bots that players own."""
        return self.filter(is_bot=True, is_active=True, owner__isnull=True)

    def own_bots(self, owner: models.Model) -> Self:
        return self.filter(owner=owner, is_active=True)

    def starting_with(self, text: str) -> Self:
        """Return accounts whose handle or e-mail address starts with a text, in any case.

        Ranges in the order of code points, because other collations have no index of prefixes.
        """
        first, last = text.lower(), text.lower() + LAST_CHARACTER
        plain = self.alias(plain_handle=PLAIN_HANDLE, plain_email=PLAIN_EMAIL)
        return plain.filter(
            models.Q(plain_handle__gte=first, plain_handle__lt=last)
            | models.Q(plain_email__gte=first, plain_email__lt=last)
        )

    def with_short_code(self, code: str) -> Self:
        return self.alias(code=SHORT_CODE).filter(code=code)

    def locked(self) -> Self:
        return self.select_for_update(no_key=True).order_by("pk")


class UserManager(BaseUserManager["User"]):
    """Create users; `handle` is public, `email` is the sign-in name."""

    def get_queryset(self) -> UserQuerySet:
        return UserQuerySet(self.model, using=self._db)

    def people(self) -> UserQuerySet:
        return self.get_queryset().people()

    def bots(self) -> UserQuerySet:
        return self.get_queryset().bots()

    def starting_with(self, text: str) -> UserQuerySet:
        return self.get_queryset().starting_with(text)

    def with_short_code(self, code: str) -> UserQuerySet:
        return self.get_queryset().with_short_code(code)

    def locked(self) -> UserQuerySet:
        return self.get_queryset().locked()

    def create_user(
        self, *, handle: str, email: str | None = None, password: str | None = None, **fields: Any
    ) -> User:
        user = self.model(
            handle=handle, email=self.normalize_email(email) if email else None, **fields
        )
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, *, handle: str, email: str, password: str, **fields: Any) -> User:
        """Create a superuser, as `createsuperuser` does, with an audit log entry."""
        rights = {"is_staff": True, "is_superuser": True}
        with transaction.atomic(using=self._db):
            user = self.create_user(
                handle=handle, email=email, password=password, **rights, **fields
            )
            audit_log.record(by=user, act="add", row=user, about=user)
        return user

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email__iexact=username)


class User(AbstractBaseUser, PermissionsMixin):
    """An account: a player, a guest, a practice bot of the site, or a player's declared bot."""

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    email = LowerCaseEmailField(_("e-mail address"), null=True, blank=True)
    handle = models.CharField(
        _("handle"),
        max_length=20,
        validators=[
            RegexValidator(HANDLE_PATTERN, _("Use 3 to 20 letters, digits or underscores."))
        ],
        help_text=_("The name other players see."),
    )
    # Empty for the account's default; see `picture`.
    avatar = models.CharField(_("avatar"), max_length=10, choices=Avatar, blank=True, default="")
    is_guest = models.BooleanField(default=False)
    is_bot = models.BooleanField(default=False)
    # The player who declared this bot; empty for people and for the site's bots.
    owner = ProtectedForeignKey(
        "self", null=True, blank=True, editable=False, related_name="declared_bots"
    )
    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    birth_date = models.DateField(_("birth date"), null=True, blank=True)
    # ISO 3166-1 alpha-2 and the part after the hyphen of ISO 3166-2 ("IN", "TN").
    country = models.CharField(_("country"), max_length=2, blank=True)
    region = models.CharField(_("region"), max_length=3, blank=True)
    time_zone = models.CharField(_("time zone"), max_length=40, default="Asia/Kolkata")
    language = models.CharField(_("language"), max_length=8, default="en")
    has_public_profile = models.BooleanField(
        _("show my profile to other players"),
        default=True,
        help_text=_("Your ratings, figures of your games, and how often you left or missed turns."),
    )
    # Minutes between reality checks; 0 for never.
    reality_check_minutes = models.PositiveSmallIntegerField(default=0)
    # The version of `players.accounts.consent` that the player agreed to; empty for none.
    consent_version = models.CharField(max_length=20, blank=True)
    date_joined = CreatedAtField()
    # For closed accounts with limits still in force: a keyed hash of the e-mail address.
    closed_email_hash = models.CharField(max_length=64, blank=True, default="", editable=False)

    objects: ClassVar[UserManager] = UserManager()

    EMAIL_FIELD = "email"
    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["handle"]

    class Meta:
        verbose_name = _("player")
        verbose_name_plural = _("players")
        permissions: ClassVar[list[tuple[str, Any]]] = [
            ("block_user", "Can block players and let them in again"),
            ("end_session", "Can sign players out"),
        ]
        # The address is not unique: unverified accounts may share one. allauth allows one verified
        # account for each (`unique_verified_email`).
        indexes: ClassVar[list[models.Index]] = [
            models.Index(Lower("email"), name="players_user_email_lower"),
            models.Index(
                fields=["closed_email_hash"],
                condition=~models.Q(closed_email_hash=""),
                name="players_user_closed_email",
            ),
            models.Index(PLAIN_HANDLE, name="players_user_plain_handle"),
            models.Index(PLAIN_EMAIL, name="players_user_plain_email"),
            models.Index(SHORT_CODE, name="players_user_short_code"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                Lower("handle"),
                name="players_user_handle_once",
                violation_error_message=_("This player name is taken."),
            ),
            models.CheckConstraint(
                condition=models.Q(email__isnull=False)
                | models.Q(is_guest=True)
                | models.Q(is_bot=True),
                name="players_user_email_unless_guest_or_bot",
            ),
            models.CheckConstraint(
                condition=models.Q(avatar__in=["", *Avatar.values]),
                name="players_user_avatar_known",
            ),
            models.CheckConstraint(
                condition=models.Q(reality_check_minutes__in=REALITY_CHECK_MINUTES),
                name="players_user_reality_check_offered",
            ),
            models.CheckConstraint(
                condition=~models.Q(is_guest=True, is_bot=True),
                name="players_user_guest_or_bot_not_both",
            ),
            models.CheckConstraint(
                condition=models.Q(owner__isnull=True) | models.Q(is_bot=True),
                name="players_user_only_bots_are_owned",
            ),
        ]

    def __str__(self) -> str:
        return self.handle

    @property
    def picture(self) -> Avatar:
        """Return the player's avatar: the chosen one, or the account's default."""
        return avatar_of(self.pk, self.avatar)

    @property
    def is_site_bot(self) -> bool:
        """Whether this is a practice bot of the site."""
        return self.is_bot and self.owner_id is None

    @property
    def short_code(self) -> str:
        """Return the last 8 digits of the public id, which distinguish similar handles."""
        return self.public_id.hex[-8:]

    @property
    def actor(self) -> str:
        """Return the stable identifier used in the ledger and in game terms."""
        return f"player:{self.public_id}"

    @property
    def picker_label(self) -> str:
        return " · ".join(part for part in (self.handle, self.email, self.short_code) if part)

    @property
    def must_agree(self) -> bool:
        """Return whether a person has not agreed to the current consent text.

        Accounts created by staff start without consent.
        """
        return not self.is_bot and self.consent_version != consent.VERSION

    def check_password(self, raw_password: str | None) -> bool:
        """Return whether the password is right; an outdated hash is replaced."""

        def store(password: str) -> None:
            self.set_password(password)  # Before the transaction, because hashing is slow.
            self._password = None
            with transaction.atomic():
                self.save(update_fields=["password"])
                password_stored.send(sender=User, user=self)

        return check_password(raw_password, self.password, store)

    @property
    def place(self) -> str:
        """Return country and region in the active language: `Karnataka, India`; "" if unknown."""
        return place_name(self.country, self.region) if self.country else ""


class PlayerName(models.Model):
    """A copy of a player's `handle`, `is_bot`, `avatar` and `owner`, written by a trigger.

    Tables are distributed over several servers, players are not (docs/adr/0009): every server has
    this copy.
    """

    player = ProtectedOneToOneField(
        settings.AUTH_USER_MODEL, primary_key=True, related_name="+", db_constraint=False
    )
    handle = models.CharField(max_length=20)
    is_bot = models.BooleanField()
    avatar = models.CharField(max_length=10, blank=True)
    # The key of the player who declared this bot.
    owner_id = models.BigIntegerField(null=True)

    def __str__(self) -> str:
        return self.handle
