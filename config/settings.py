"""Django's settings; values that differ between installations come from `config.environment`."""

from __future__ import annotations

import logging

from django.conf.locale import LANG_INFO

from config import databases, environment, providers
from config.environment import BASE_DIR, env
from config.logs import lines as log_lines
from config.serving import api_description, brokers, content_policies, throttles
from config.sign_in import *  # noqa: F403  (Django reads the names of this module.)
from config.timetable import QUEUES, TIMETABLE
from staff.admin_menu import ADMIN_MENU

EPHEMERAL = environment.EPHEMERAL
SECRET_KEY = environment.secret("SECRET_KEY")
# Earlier signing keys: their signatures stay valid until they are removed here.
SECRET_KEY_FALLBACKS: list[str] = env.list("SECRET_KEY_FALLBACKS", default=[])
# Fernet keys for the seeds of deals; the first encrypts, all decrypt.
DEAL_KEYS = environment.fernet_keys("DEAL_KEYS")
# Fernet keys for the bank accounts of withdrawals.
PAYEE_KEYS = environment.fernet_keys("PAYEE_KEYS")
# Fernet keys for players' identity documents.
IDENTITY_KEYS = environment.fernet_keys("IDENTITY_KEYS")
ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "core",  # First, so that the names of models are translatable before forms copy them.
    "unfold",
    "unfold.contrib.filters",
    # `config.urls` imports the admin's modules: workers need none of them.
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "channels",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "axes",
    "csp",
    "django_prometheus",
    "django_structlog",
    "players",
    "wallet",
    "tables",
    "tournaments",
    "finance",
    "staff",
    "config",
    "devtools",
]

MIDDLEWARE = [
    "staff.monitoring.health.HealthMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "core.http.middleware.PageCompressionMiddleware",
    "core.http.middleware.BodyLengthMiddleware",
    "core.http.middleware.EncodingMiddleware",
    "core.http.error_answers.ErrorAnswerMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "players.sign_in.tokens.access.TokenMiddleware",
    "players.sign_in.sessions.PlayerMiddleware",
    "core.http.throttle_middleware.ThrottleMiddleware",
    # After the throttles, so that they count the requests it refuses.
    "django.middleware.csrf.CsrfViewMiddleware",
    "players.eligibility.places.middleware.PlaceMiddleware",
    "core.http.middleware.AnswerHeadersMiddleware",
    # Inside the one before, so that it tags answers before they are marked as personal.
    "core.http.middleware.DataTagMiddleware",
    "tables.seats.devices.DeviceMiddleware",
    "core.api.query_parameters.QueryParameterMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "players.sign_in.security.middleware.ReauthenticationMiddleware",
    "staff.access.second_factor.SecondFactorMiddleware",
    "core.admin.query_validation.AdminQueryValidationMiddleware",
    "core.http.middleware.PageMessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.logs.context.RequestLogMiddleware",
    "axes.middleware.AxesMiddleware",
    "core.http.own_writes.OwnWritesMiddleware",
]
# Service that receives unexpected errors; "" to send none (`config.logs.errors`).
SENTRY_DSN: str = env.str("SENTRY_DSN", "")
# OpenTelemetry's variable for the collector of traces; "" to send none (`config.logs.traces`).
OTEL_EXPORTER_OTLP_ENDPOINT: str = env.str("OTEL_EXPORTER_OTLP_ENDPOINT", "")
METRICS = environment.METRICS
if METRICS:  # The counters cost time even if nothing scrapes them.
    MIDDLEWARE.insert(1, "django_prometheus.middleware.PrometheusBeforeMiddleware")
    MIDDLEWARE.append("django_prometheus.middleware.PrometheusAfterMiddleware")

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
ASGI_APPLICATION = "config.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "players.accounts.zones.ZonedTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["wallet.templatetags.wallet_text"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "django.template.context_processors.i18n",
                "players.accounts.look.look",
                "players.notifications.pages.bell",
            ],
        },
    }
]

# Settings of each session of the application.
DATABASE_SESSION = databases.SESSION
# The application's login may not write ledger tables; only commands of the schema's owner may.
DATABASES = {"default": databases.application()}
if replica := databases.replica():
    DATABASES["replica"] = replica
    DATABASE_ROUTERS = ["core.db.replica.ReplicaRouter"]

REDIS_URL: str = brokers.redis_url()
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        # A list, because Django splits a string at commas.
        "LOCATION": [REDIS_URL],
        "OPTIONS": {
            "pool_class": "core.redis.servers.Pools",
            "serializer": "core.http.cache.JsonSerializer",
            # A sign-in waits at most a second for a Redis that hangs.
            "socket_timeout": 1,
            "socket_connect_timeout": 1,
        },
    }
}
CHANNEL_LAYERS = {
    "default": {
        # One message per update and process, for any number of sockets at the table.
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        # In the same order for every process.
        "CONFIG": {"hosts": [brokers.channel_host(url) for url in brokers.hint_urls(REDIS_URL)]},
    }
}

# Limits per process: sockets and streams of a player, sockets of an address.
SOCKETS_PER_PLAYER: int = environment.whole("SOCKETS_PER_PLAYER", 20, least=1, most=100_000)
STREAMS_PER_PLAYER: int = environment.whole("STREAMS_PER_PLAYER", 4, least=1, most=100_000)
SOCKETS_PER_ADDRESS: int = environment.whole("SOCKETS_PER_ADDRESS", 200, least=1, most=1_000_000)

# Celery: pending work is stored in the database, so a lost message only delays it.
CELERY_BROKER_URL = brokers.celery_url(REDIS_URL)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# No retry of a message that cannot be sent: a sweep enqueues it later.
CELERY_BROKER_TRANSPORT_OPTIONS = brokers.celery_options(REDIS_URL)
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_DEFAULT_QUEUE = "settle"
CELERY_TASK_ROUTES = QUEUES
CELERY_BEAT_SCHEDULE = TIMETABLE
# Several beats may run; one of them sends the tasks.
CELERY_BEAT_SCHEDULER = "config.serving.beat:LeasedScheduler"

# Exceptions answered like `core.exceptions.Refusal`.
REFUSALS = ["rummy.RummyError"]
AUTH_USER_MODEL = "players.User"
# Modules that list who plays with whom, in the order in which they lock their games
# (players.accounts.conflicts_of_interest).
CONFLICTS_OF_INTEREST = [
    "tournaments.conflicts_of_interest",
    "tables.conflicts_of_interest",
    "wallet.conflicts_of_interest",
]
# The modules that add to the export of a player's data (tables.accounts.own_data).
OWN_DATA = ["tournaments.own_data"]
# The function that lists an action's postings for staff to confirm (core.admin.previews).
MOVED_NOW = "wallet.ledger.admin_columns.moved_now"
# Modules for contests of more than one table (tables.integrity.collusion.money).
CONTESTS_ELSEWHERE = ["tournaments.prizes.contests"]
# `core.addresses` determines the client's address for all parts of the project.
TRUSTED_PROXY_COUNT = environment.TRUSTED_PROXY_COUNT
EMAIL_CONFIG = env.email_url("EMAIL_URL", default="consolemail://")
vars().update(EMAIL_CONFIG)
EMAIL_TIMEOUT = 10  # Seconds; limits how long a mail server that hangs blocks a worker.
# The support address on the page "Contact".
CONTACT_EMAIL: str = env.str("CONTACT_EMAIL", "")
DEFAULT_FROM_EMAIL: str = env.str("DEFAULT_FROM_EMAIL", "Pool Rummy <noreply@localhost>")

REST_FRAMEWORK = api_description.REST
SPECTACULAR_SETTINGS = api_description.SETTINGS

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("hi", "हिन्दी")]
# Languages that Django does not know are written from left to right.
for code, name in LANGUAGES:
    names = {"code": code, "name": name, "name_local": name, "bidi": False}
    LANG_INFO.setdefault(code, names)
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["config.formats"]
TIME_ZONE = "Asia/Kolkata"  # For calendar days and display; timestamps are stored in UTC.
USE_TZ = True
USE_I18N = True

STATIC_URL = "/static/"
STATIC_ROOT = None if environment.SERVES_SOURCES else BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": environment.static_storage()},
}
# A demo serves the sources; production collects and hashes them first.
WHITENOISE_USE_FINDERS = environment.SERVES_SOURCES
# The documentation built by `make docs`, served under /docs/.
WHITENOISE_ROOT = environment.built_pages()
WHITENOISE_INDEX_FILE = True
WHITENOISE_ADD_HEADERS_FUNCTION = content_policies.add_to_documentation

CONTENT_SECURITY_POLICY = content_policies.SITE
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_COOKIE_HTTPONLY = False  # The table's script reads the token from its cookie.
SESSION_ENGINE = "players.sign_in.sessions"
SESSION_COOKIE_SAMESITE = "Lax"
# Staff sessions end this long after the sign-in, also while in use.
STAFF_SESSION_HOURS = 12
if environment.HTTPS:
    SECURE_SSL_REDIRECT = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

UNFOLD = ADMIN_MENU

# A verified e-mail address belongs to one account, by a constraint of allauth's.
SILENCED_SYSTEM_CHECKS = ["auth.W004"]

# Cash. Rows of `players.eligibility` define the regions where it is offered (RB 11.6).
CASH_CURRENCIES: list[str] = environment.cash_currencies()
# Withdrawals stay open; all other cash features are closed.
CASH_WIND_DOWN: bool = env.bool("CASH_WIND_DOWN", False)
# Recipients of the daily report of balances owed in regions where play for money is closed.
OWED_REPORT_EMAIL: list[str] = env.list("OWED_REPORT_EMAIL", default=[])
# Deposit limits of all players for 24 hours and 30 days, in whole currency units.
DEPOSIT_LIMITS: dict[str, int | None] = {
    "day": environment.limit("DEPOSIT_LIMIT_DAY", 10_000),
    "month": environment.limit("DEPOSIT_LIMIT_MONTH", 100_000),
}
# The function that lists a player's tickets for the wallet, which must not import tournaments.
TICKETS_OF = "tournaments.prizes.tickets.tickets_of"
GATEWAYS: dict[str, str] = {name: known.path for name, known in providers.GATEWAYS.items()}
DEPOSIT_GATEWAY: str = providers.deposit_gateway()
GATEWAY_KEYS: dict[str, str] = providers.keys()
# Several per gateway during a rotation: the newest first, a retired one with "until" a date.
GATEWAY_WEBHOOK_SECRETS = providers.all_webhook_secrets()
# Service that checks documents instead of staff, for players who agree to it.
IDENTITY_PROVIDERS: dict[str, str] = providers.IDENTITY_PROVIDERS
IDENTITY_PROVIDER: str = providers.identity_provider()
SUMSUB_APP_TOKEN: str = env.str("SUMSUB_APP_TOKEN", "")
SUMSUB_SECRET_KEY: str = env.str("SUMSUB_SECRET_KEY", "")
SUMSUB_LEVEL: str = env.str("SUMSUB_LEVEL", "")
SUMSUB_WEBHOOK_SECRETS = providers.webhook_secrets("SUMSUB_WEBHOOK_SECRET")
# GeoIP files in MaxMind's format; without one no address is located.
GEOIP_FILE: str = environment.geoip_file()
# How an address of unknown region is treated where play for money is closed in some regions.
GEOIP_UNKNOWN_REGION: str = environment.geoip_unknown_region()
# Endpoint for text messages, as JSON with `to` and `text`; without it numbers cannot be verified.
SMS_URL: str = environment.https_url("SMS_URL")
SMS_TOKEN: str = env.str("SMS_TOKEN", "")
# Whether webhooks may go to the installation's own network and use HTTP without TLS.
WEBHOOK_PRIVATE_TARGETS: bool = env.bool("WEBHOOK_PRIVATE_TARGETS", False)
# The address to which a gateway's page returns players.
PUBLIC_URL: str = environment.public_url()
# The key that signs Web Push messages, and the contact for push services.
PUSH_PRIVATE_KEY: str = environment.push_key()
PUSH_CONTACT: str = environment.push_contact()
# How long new deposits cannot be withdrawn, unless staff set another term.
DEPOSIT_TERM_HOURS: int = environment.whole("DEPOSIT_TERM_HOURS", 24, most=8_760)
# Above this amount, in whole currency units, a withdrawal needs three members of staff.
THREE_PEOPLE_ABOVE: int = environment.whole("THREE_PEOPLE_ABOVE", 100_000, most=999_999_999)
# Bank codes (the first four letters of an IFSC) newer than this release's list of banks.
BANK_CODES_ADDED: list[str] = environment.bank_codes()
# How long a withdrawal to another account than the player's last one cannot be approved.
NEW_ACCOUNT_HOURS: int = environment.whole("NEW_ACCOUNT_HOURS", 24, most=720)
# The longest time of each state of a withdrawal, shown to players (RB 11.2).
WITHDRAWAL_WAIT_HOURS = {
    "requested": environment.whole("WITHDRAWAL_APPROVAL_HOURS", 24, least=1, most=8_760),
    "approved": environment.whole("WITHDRAWAL_PAYMENT_HOURS", 48, least=1, most=8_760),
}

# Request rates by player and by address (`core.http.rates`).
THROTTLES = throttles.throttles()
# Where the newest seal is sent each hour, to detect a rewritten history: mailboxes and a URL.
SEAL_HEADS_EMAIL: list[str] = env.list("SEAL_HEADS_EMAIL", default=[])
SEAL_HEADS_URL: str = environment.https_url("SEAL_HEADS_URL")
SEAL_HEADS_TOKEN: str = env.str("SEAL_HEADS_TOKEN", "")
# SQL files of other apps that the ledger's audit runs besides the wallet's.
LEDGER_AUDIT_SQL = [
    "tables.settlement.audit",
    "tables.integrity.audit_play",
    "tournaments.prizes.audit",
    "finance.closing.audit",
    "finance.matching.audit_returns",
]
# Functions of the audit for checks that SQL cannot express (wallet/audit/audit.py).
LEDGER_AUDIT_CHECKS = [
    "wallet.audit.gateway_events.findings",
    "tables.integrity.play_audit.findings",
    "tournaments.integrity.contest_audit.findings",
]
# Months that `archive_months` keeps, and the SQL that lists reasons not to archive a month yet.
MONTHS_KEPT = {"tables_move": environment.whole("MOVES_KEPT_MONTHS", 24, least=1, most=1_200)}
# Directory where the audit of play reads the files of `archive_months`; "" to read none.
MONTHS_DIR: str = env.str("MONTHS_DIR", "")
MONTHS_UNFINISHED = {"tables_move": ["tables.history.unfinished_month"]}

# The site's name in finance files.
SITE_NAME: str = env.str("SITE_NAME", "Pool Rummy")
# Request rate of a finance token, such as "60/min".
FINANCE_RATE: str = env.str("FINANCE_RATE", "60/min")
# Directory of finished exports for download, and how long they are kept.
EXPORTS_DIR: str = env.str("EXPORTS_DIR", str(BASE_DIR / ".rummy" / "exports"))
# Export volume of one token in 24 hours.
EXPORTS_MEGABYTES_PER_DAY: int = environment.whole(
    "EXPORTS_MEGABYTES_PER_DAY", 10_000, least=1, most=100_000_000
)
EXPORTS_KEPT_HOURS: int = environment.whole("EXPORTS_KEPT_HOURS", 24, least=1, most=87_600)

# How long records of closed accounts are kept, as shown to players; it deletes nothing.
RECORDS_KEPT_YEARS: int = environment.whole("RECORDS_KEPT_YEARS", 8, least=1, most=100)
# How long players' documents are kept after the decision.
IDENTITY_DOCUMENT_DAYS: int = environment.kept_days("IDENTITY_DOCUMENT_DAYS", 180)
# How long the answer to a money request is kept and repeated for the same idempotency key.
IDEMPOTENCY_KEPT_DAYS: int = environment.kept_days("IDEMPOTENCY_KEPT_DAYS", 90)

# Play points in hundredths: a new player's balance, and the balance of the daily top-up.
PLAY_POINTS_SIGN_UP = 10_000_00
PLAY_POINTS_REFILL_TO = 10_000_00
# How long a practice bot waits before a move; 0 plays at once.
BOT_THINK_SECONDS: float = environment.seconds("BOT_THINK_SECONDS", 1.2, most=60)
# How long an absent player keeps a seat at a waiting table before the stake is returned.
AWAY_MINUTES: int = environment.whole("AWAY_MINUTES", 5, least=1, most=10_080)
# How long after a deal it can be disputed, and disputes per player in 24 hours.
DISPUTE_DAYS: int = environment.whole("DISPUTE_DAYS", 30, most=3_650)
DISPUTES_PER_DAY: int = environment.whole("DISPUTES_PER_DAY", 10, most=1_000)
# Days of play that the nightly search for collusion covers.
COLLUSION_DAYS: int = environment.whole("COLLUSION_DAYS", 28, least=1, most=366)
# Makes the seeds of `manage.py simulate` repeatable; `check --deploy` refuses it.
SIMULATION_SEED: str = env.str("SIMULATION_SEED", "")

LOGGING = log_lines.LOGGING
# Log lines name players by primary key; the proxy logs their addresses.
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False
# Below its logger's level, because django.request logs each refusal already.
DJANGO_STRUCTLOG_STATUS_4XX_LOG_LEVEL = logging.INFO
