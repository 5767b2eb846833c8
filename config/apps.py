from celery.signals import celeryd_after_setup
from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        # Tasks are sent through the configured application, and checks register themselves.
        from config import celery, environment
        from config.checks import database, deployment  # noqa: F401
        from config.logs import context  # noqa: F401
        from config.logs.reports import start_reports
        from config.serving.login_kinds import refuse_another_kind
        from core.db.schema import grant_rights
        from wallet.apps import keep_settings
        from wallet.audit.schema_record import record_schema
        from wallet.ledger.accounts import open_operator_accounts

        # Registers the tasks in every process: they are enqueued by name, without being imported.
        celery.app.autodiscover_tasks(force=True)
        celeryd_after_setup.connect(refuse_another_kind)
        # The signal is sent for each app with models; this app has none, so it listens to
        # another's.
        last = apps.get_app_config("finance")
        post_migrate.connect(grant_rights, sender=last)
        post_migrate.connect(keep_settings, sender=last)
        post_migrate.connect(open_operator_accounts, sender=last)
        post_migrate.connect(record_schema, sender=last)
        start_reports()
        if environment.METRICS:
            from prometheus_client import REGISTRY

            from staff.monitoring.metrics import SiteCollector

            REGISTRY.register(SiteCollector())
