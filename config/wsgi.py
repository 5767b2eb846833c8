"""HTTP without sockets, for where throughput matters."""

import gc
import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()

from config.serving.warming import warm_up  # noqa: E402

warm_up(application)
# What is loaded by now stays; no collection has to look at it again.
gc.collect()
gc.freeze()
