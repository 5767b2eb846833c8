from celery.signals import celeryd_after_setup
from django.apps import AppConfig, apps
from django.conf import settings
from django.db.models.signals import post_migrate


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        # Tasks are sent through the configured application, and checks register themselves.
        from config import celery, environment
        from config.checks import database, deployment  # noqa: F401
        from config.logs import context, errors, traces  # noqa: F401
        from config.serving.login_kinds import refuse_another_kind
        from core.db import rights
        from wallet.apps import keep_settings
        from wallet.audit.schema_record import record_schema
        from wallet.ledger.accounts import open_operator_accounts

        # Registers the tasks in every process: they are enqueued by name, without being imported.
        celery.app.autodiscover_tasks(force=True)
        celeryd_after_setup.connect(refuse_another_kind)
        # The signal is sent for each app with models; this app has none, so it listens to
        # another's.
        last = apps.get_app_config("finance")
        post_migrate.connect(rights.grant_rights, sender=last)
        post_migrate.connect(keep_settings, sender=last)
        post_migrate.connect(open_operator_accounts, sender=last)
        post_migrate.connect(record_schema, sender=last)
        if settings.SENTRY_DSN:
            errors.report_errors(settings.SENTRY_DSN)
        if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
            traces.trace_to(settings.OTEL_EXPORTER_OTLP_ENDPOINT)
        if environment.METRICS:
            from prometheus_client import REGISTRY

            from staff.monitoring.metrics import SiteCollector

            REGISTRY.register(SiteCollector())
