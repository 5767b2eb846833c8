"""The Celery application; queues and schedule are in settings."""

import os

from celery import Celery

from config import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
broker.register()

app = Celery("rummy")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
