"""The Celery application; queues and schedule are in settings."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("rummy")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
