from typing import ClassVar

from allauth.account.signals import password_reset
from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.utils.translation import gettext_lazy

from core.db.schema import Schema


class PlayersConfig(AppConfig):
    name = "players"
    verbose_name = gettext_lazy("Players")
    schema: ClassVar[Schema] = {
        "0001_initial": (
            "core.db.roles",
            "core.db.login_kinds",
        ),
        "0002_database": (
            "players.accounts.identity",
            "players.accounts.names",
            "players.eligibility.places.regions",
            "players.eligibility.places.law",
            "players.eligibility.places.doubts",
            "players.eligibility.breaks",
            "players.eligibility.holds",
            "players.identity.checks",
            "players.identity.phones.numbers",
            "players.sign_in.security.factors",
            "players.sign_in.security.changes",
            "players.limits.limits",
            "players.cases.cases",
            "players.cases.answers",
            "players.cases.data_requests",
            "players.cases.help_requests",
            "players.notifications.staff_actions",
        ),
    }

    def ready(self) -> None:
        # Imported here because models are not loaded yet when this module is.
        from players.sign_in.devices.actions import forget_device
        from players.sign_in.enrolment import note_factor
        from players.sign_in.lockout import open_to_owner
        from players.sign_in.security import changes
        from players.sign_in.security.changes import factor_added
        from players.sign_in.sessions import limit_staff_session

        user_logged_in.connect(limit_staff_session, dispatch_uid="limit_staff_session")
        password_reset.connect(open_to_owner, dispatch_uid="open_to_owner")
        changes.connect()
        factor_added.connect(note_factor, dispatch_uid="note_factor")
        user_logged_out.connect(forget_device, dispatch_uid="forget_device")
