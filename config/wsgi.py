"""The WSGI application: pages and API without sockets."""

import gc
import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()

from config.serving.warming import warm_up  # noqa: E402

warm_up(application)
# Exclude the objects loaded so far from garbage collection.
gc.collect()
gc.freeze()
