from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        # Tasks are sent through the configured application, and checks register themselves.
        from config import celery, checks  # noqa: F401
