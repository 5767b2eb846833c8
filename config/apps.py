from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        # Tasks are sent through the configured application, and checks register themselves.
        from config import celery, checks, database_checks, environment, log_context  # noqa: F401

        if environment.METRICS:
            from prometheus_client import REGISTRY

            from config.metrics import HouseCollector

            REGISTRY.register(HouseCollector())
