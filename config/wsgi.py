"""HTTP without sockets, for where throughput matters."""

import gc
import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()

# Otherwise the first request imports the views.
import config.urls  # noqa: E402, F401

# What is loaded by now stays; no collection has to look at it again.
gc.collect()
gc.freeze()
