from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in


class PlayersConfig(AppConfig):
    name = "players"
    verbose_name = "Players"

    def ready(self) -> None:
        # Imported here: models are not loaded when this module is.
        from players.sign_in.sessions import limit_staff_session

        user_logged_in.connect(limit_staff_session, dispatch_uid="limit_staff_session")
