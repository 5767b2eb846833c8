from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        # Tasks are sent through the configured application, and checks register themselves.
        from config import (  # noqa: F401
            celery,
            checks,
            database_checks,
            environment,
            log_context,
            rights,
        )

        # Sent once all migrations have run, for each app with models; this one has none.
        post_migrate.connect(rights.grant_rights, sender=apps.get_app_config("finance"))
        if environment.METRICS:
            from prometheus_client import REGISTRY

            from config.metrics import HouseCollector

            REGISTRY.register(HouseCollector())
