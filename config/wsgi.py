"""HTTP without sockets, for where throughput matters (ARCHITECTURE 7)."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import config.celery  # noqa: E402, F401  Tasks are sent through the configured application.
from django.core.wsgi import get_wsgi_application  # noqa: E402

application = get_wsgi_application()
