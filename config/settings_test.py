"""Settings of the test run; they start its throw-away servers before Django loads.

A conftest.py would be too late, because pytest-django reads the settings first.
"""

import atexit
import os

from devtools import launcher
from devtools.datadir import throwaway_datadir
from tests.cluster import MIGRATED, lay_migrated, make_migrated

os.environ.setdefault("RUMMY_EPHEMERAL", "1")
# All tests and benchmarks share one address and one Redis.
os.environ.setdefault("THROTTLE_FACTOR", "1000")
os.environ.setdefault("GUEST_RATE", "20000/h/ip")
os.environ.setdefault("DEAL_KEYS", "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
os.environ.setdefault("IDENTITY_KEYS", "YW5kIHRoaXMgb25lIGlzIGZvciBkb2N1bWVudHMgISE=")
os.environ.setdefault("PAYEE_KEYS", "YnV0IHRoaXMgb25lIGlzIGZvciBiYW5rIGFjY291bnQ=")
if os.environ.get("RUMMY_TEST_SERVERS"):
    # A worker of a parallel run inherits the first process's servers but needs its own, because
    # all processes connected to a broker share its queues.
    del os.environ["DATABASE_URL"], os.environ["REDIS_URL"]
if not launcher.are_configured():
    os.environ["RUMMY_TEST_SERVERS"] = "1"
    os.environ.setdefault(MIGRATED, str(make_migrated()))
    _data = throwaway_datadir()
    lay_migrated(_data.root)
    SERVERS = launcher.start(_data, durable=False)
    if SERVERS is not None:
        atexit.register(SERVERS.stop)

from config import databases
from config.settings import *  # noqa: F403

# Tests connect as the owner and take the application's role once the database is made. One login
# for both separates nothing (docs/operators/servers.md), but lets a test act as either.
_options = DATABASES["default"].pop("OPTIONS")  # noqa: F405
DATABASES["default"] |= databases.owner()  # noqa: F405
DATABASES["default"]["ENGINE"] = "core.db.backend"  # noqa: F405
DATABASES["default"]["OPTIONS"] = {  # noqa: F405
    name: value for name, value in _options.items() if name not in {"pool", "session"}
}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}  # noqa: F405
BOT_THINK_SECONDS = 0.0
# Otherwise every test client reads all static files into memory before its first request.
WHITENOISE_AUTOREFRESH = True
# Tests of the term set their own.
DEPOSIT_TERM_HOURS = 0
# The product's checks without those of tables whose test builders invent games.
LEDGER_AUDIT_CHECKS = [
    "wallet.audit.gateway_events.findings",
    "tests.builders.tables.invented.findings",
    "tournaments.integrity.contest_audit.findings",
]
