"""Django's settings; values that differ between installations come from `config.environment`."""

from __future__ import annotations

import logging

import django_stubs_ext
from django.conf.locale import LANG_INFO

from config import databases, environment, gateways, identity_providers
from config.environment import BASE_DIR, EPHEMERAL, env
from config.logs import lines as log_lines
from config.serving import api_description, brokers, content_policies, throttles
from config.timetable import QUEUES, TIMETABLE
from staff.admin_menu import ADMIN_MENU

# Django's generic classes take type arguments in annotations only until this.
django_stubs_ext.monkeypatch()

SECRET_KEY = environment.secret("SECRET_KEY")
# Keys that signed before it: what they have signed stays valid until they are removed here.
SECRET_KEY_FALLBACKS: list[str] = env.list("SECRET_KEY_FALLBACKS", default=[])
# Fernet keys that encrypt the seeds of deals; the first encrypts, all decrypt.
DEAL_KEYS = environment.fernet_keys("DEAL_KEYS")
# And those that encrypt the bank accounts of withdrawals.
PAYEE_KEYS = environment.fernet_keys("PAYEE_KEYS")
# And those that encrypt the documents with which players show who they are.
IDENTITY_KEYS = environment.fernet_keys("IDENTITY_KEYS")
ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "unfold",
    "unfold.contrib.filters",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "djmoney",
    "channels",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "axes",
    "csp",
    "django_prometheus",
    "django_structlog",
    "core",
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
    "players.sign_in.middleware.PlayerMiddleware",
    "core.http.throttle_middleware.ThrottleMiddleware",
    # After the throttles, so that requests it refuses are counted too.
    "django.middleware.csrf.CsrfViewMiddleware",
    "players.eligibility.places.middleware.PlaceMiddleware",
    "core.http.middleware.AnswerHeadersMiddleware",
    # Before it an answer is not said to be personal yet: programs may hold what was theirs.
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
# Where unexpected errors are reported; nowhere if empty (`config.logs.errors`).
SENTRY_DSN: str = env.str("SENTRY_DSN", "")
# Where traces go, by OpenTelemetry's own variable; nowhere if empty (`config.logs.traces`).
OTEL_EXPORTER_OTLP_ENDPOINT: str = env.str("OTEL_EXPORTER_OTLP_ENDPOINT", "")
METRICS = environment.METRICS
if METRICS:  # They count whether or not anybody asks for the figures.
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

# What each session of the application is set to.
DATABASE_SESSION = databases.SESSION
# The application's login may not write the ledger; only the schema's commands own it.
DATABASES = {"default": databases.application()}
if replica := databases.replica():
    DATABASES["replica"] = replica
    DATABASE_ROUTERS = ["core.db.replica.ReplicaRouter"]

REDIS_URL: str = brokers.redis_url()
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        # A list: Django would split a text at each comma.
        "LOCATION": [REDIS_URL],
        "OPTIONS": {
            "pool_class": "core.redis.servers.Pools",
            "serializer": "core.http.cache.JsonSerializer",
            # Signing in waits for a Redis that hangs, but no longer than a second.
            "socket_timeout": 1,
            "socket_connect_timeout": 1,
        },
    }
}
# Where changes at tables are told, in the same order for every process.
CHANGE_MESSAGE_URLS: list[str] = brokers.hint_urls(REDIS_URL)
CHANNEL_LAYERS = {
    "default": {
        # One message per update and process, however many sockets watch the table.
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [brokers.channel_host(url) for url in CHANGE_MESSAGE_URLS]},
    }
}

# The most sockets and streams of a player, and sockets of an address, in one process.
SOCKETS_PER_PLAYER: int = environment.whole("SOCKETS_PER_PLAYER", 20, least=1, most=100_000)
STREAMS_PER_PLAYER: int = environment.whole("STREAMS_PER_PLAYER", 4, least=1, most=100_000)
SOCKETS_PER_ADDRESS: int = environment.whole("SOCKETS_PER_ADDRESS", 200, least=1, most=1_000_000)

# Celery: what is left to do stands in the database, so a lost message delays work and loses none.
CELERY_BROKER_URL = brokers.celery_url(REDIS_URL)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A message that cannot be sent at once is not tried again: a sweep enqueues it later.
CELERY_BROKER_TRANSPORT_OPTIONS = brokers.celery_options(REDIS_URL)
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_DEFAULT_QUEUE = "settle"
CELERY_TASK_ROUTES = QUEUES
CELERY_BEAT_SCHEDULE = TIMETABLE
# Several beats may run; one of them sends.
CELERY_BEAT_SCHEDULER = "config.serving.beat:LeasedScheduler"

# Refusals beside those under `core.exceptions.Refusal`, answered alike.
REFUSALS = ["rummy.RummyError"]
AUTH_USER_MODEL = "players.User"
# Modules that know who plays with whom, in the order in which their games are locked
# (players.accounts.conflicts_of_interest).
CONFLICTS_OF_INTEREST = [
    "tournaments.conflicts_of_interest",
    "tables.conflicts_of_interest",
    "wallet.conflicts_of_interest",
]
# The function that lists what an act would post, for staff to confirm (core.admin.previews).
MOVED_NOW = "wallet.ledger.posted_now.moved_now"
# Modules that know contests of more than one table (tables.integrity.collusion.money).
CONTESTS_ELSEWHERE = ["tournaments.prizes.contests"]
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
PASSWORD_HASHERS = ["players.sign_in.hashing.PasswordHasher"]
# How many passwords a process hashes at once, and how many more wait for it. `serve web` leaves
# threads for other requests: it sets both by its number of threads.
PASSWORDS_AT_ONCE: int = environment.whole("PASSWORDS_AT_ONCE", 2, least=1, most=1_000)
PASSWORDS_WAITING: int = environment.whole("PASSWORDS_WAITING", 40, most=10_000)
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
ACCOUNT_ADAPTER = "wallet.bonuses.signup.SignUpAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_FORMS = {"reset_password": "players.sign_in.password_reset.ResetPasswordForm"}
ACCOUNT_SIGNUP_FORM_CLASS = "players.sign_in.forms.SignUpForm"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = env.str("EMAIL_VERIFICATION", "optional")
# A carrier puts thousands of people behind one address: what is right is not counted, and what is
# counted by address alone leaves the others there enough. The limits left out are allauth's.
ACCOUNT_RATE_LIMITS = {
    # How many accounts one address may bring, guests and sign-ups together.
    "signup": env.str("GUEST_RATE", "100/h/ip"),
    # These would count right ones too; failures are counted below.
    "login": None,
    "reauthenticate": None,
    "reset_password_from_key": None,  # A link's key cannot be guessed.
    # Wrong passwords of all accounts together. Those of one: `players.sign_in.lockout`.
    "password_failed": "30/m/ip,300/h/ip",
    # Wrong codes of a second factor; who gives one knows the password.
    "login_failed": "10/15m/key,50/d/key",
    # Somebody at another's open browser cannot guess the password.
    "reauthentication_failed": "10/h/user",
    "reauthentication_code": "10/h/user",
    "change_password": "10/h/user",
    # E-mails to one mailbox. Strangers on one network reach their own limit before its owner does.
    "confirm_email": "50/h/ip,120/h/key",
    "reset_password": "100/h/ip,60/h/key",
    "reset_password_of_mailbox": "10/h/key",
}
# What could give an account away needs a proof of the last minutes (`players.sign_in.security`).
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 600
ACCOUNT_LOGOUT_ON_GET = False
# Signing up with a taken address answers as with a free one; only its owner can verify it.
ACCOUNT_PREVENT_ENUMERATION = "strict"
# Staff need a second factor; off only where nothing is at stake.
STAFF_MFA_REQUIRED: bool = env.bool("STAFF_MFA_REQUIRED", not EPHEMERAL)
MFA_TOTP_ISSUER = "Pool Rummy"
# A code of the half minute before or after counts: clocks differ, and typing takes time (RFC 6238).
MFA_TOTP_TOLERANCE = 1
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "lobby"
LOGOUT_REDIRECT_URL = "landing"
AXES_FAILURE_LIMIT = "players.sign_in.lockout.failure_limit"
AXES_COOLOFF_TIME = 0.25  # Hours.
AXES_LOCKOUT_PARAMETERS = "players.sign_in.lockout.lockout_parameters"
AXES_RESET_ON_SUCCESS = True
# Else somebody who keeps guessing would lock out the others behind their address for good.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_TEMPLATE = "lockout.html"
AXES_ENABLE_ADMIN = False  # What guards the door is not for staff to edit.
AXES_CLIENT_IP_CALLABLE = "core.addresses.client_network"
# `core.addresses` reads it for everything that asks where a request came from.
TRUSTED_PROXY_COUNT = environment.TRUSTED_PROXY_COUNT
AXES_USERNAME_CALLABLE = "players.sign_in.lockout.counted_as"
EMAIL_CONFIG = env.email_url("EMAIL_URL", default="consolemail://")
vars().update(EMAIL_CONFIG)
EMAIL_TIMEOUT = 10  # Seconds; a mail server that hangs must not hold a worker for ever.
# Where players write to; shown on the page "Contact".
CONTACT_EMAIL: str = env.str("CONTACT_EMAIL", "")
DEFAULT_FROM_EMAIL: str = env.str("DEFAULT_FROM_EMAIL", "Pool Rummy <noreply@localhost>")

REST_FRAMEWORK = api_description.REST
SPECTACULAR_SETTINGS = api_description.SETTINGS

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("hi", "हिन्दी")]
# Django knows most languages by itself; one it does not know is written from left to right.
for code, name in LANGUAGES:
    names = {"code": code, "name": name, "name_local": name, "bidi": False}
    LANG_INFO.setdefault(code, names)
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["config.formats"]
TIME_ZONE = "Asia/Kolkata"  # The house's calendar; timestamps are stored in UTC.
USE_TZ = True
USE_I18N = True

STATIC_URL = "/static/"
STATIC_ROOT = None if environment.SERVES_SOURCES else BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": environment.static_storage()},
}
# A demo serves the sources directly; production collects and hashes them first.
WHITENOISE_USE_FINDERS = environment.SERVES_SOURCES
# What `make docs` has built is served under /docs/.
WHITENOISE_ROOT = environment.built_pages()
WHITENOISE_INDEX_FILE = True
WHITENOISE_ADD_HEADERS_FUNCTION = content_policies.add_to_documentation

CONTENT_SECURITY_POLICY = content_policies.SITE
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_COOKIE_HTTPONLY = False  # The table's module reads the token from its cookie.
SESSION_ENGINE = "players.sign_in.sessions"
SESSION_COOKIE_SAMESITE = "Lax"
# Sessions of staff end so long after the sign-in, however busy they are.
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

# An e-mail is one account's once it is verified, by a constraint of allauth's.
SILENCED_SYSTEM_CHECKS = ["auth.W004"]

# Cash. Where it is offered, rows of `players.eligibility` say (RB 11.6).
CASH_CURRENCIES: list[str] = environment.cash_currencies()
# Withdrawals stay open, everything else about cash is closed.
CASH_WIND_DOWN: bool = env.bool("CASH_WIND_DOWN", False)
# Who is written to each day about what is still owed where play for money is closed.
OWED_REPORT_EMAIL: list[str] = env.list("OWED_REPORT_EMAIL", default=[])
# The most anybody pays in within 24 hours and 30 days, in whole units of the currency.
DEPOSIT_LIMITS: dict[str, int | None] = {
    "day": environment.limit("DEPOSIT_LIMIT_DAY", 10_000),
    "month": environment.limit("DEPOSIT_LIMIT_MONTH", 100_000),
}
# The function that lists a player's tickets for the wallet, which may not import tournaments.
TICKETS_OF = "tournaments.prizes.usable_tickets.tickets_of"
GATEWAYS: dict[str, str] = {name: known.path for name, known in gateways.GATEWAYS.items()}
DEPOSIT_GATEWAY: str = gateways.deposit_gateway()
GATEWAY_KEYS: dict[str, str] = gateways.keys()
# Several of a gateway while they are changed: the newest first, an old one "until" a moment.
GATEWAY_WEBHOOK_SECRETS = gateways.all_webhook_secrets()
# Who looks at documents beside staff, of players who agree to it.
IDENTITY_PROVIDERS: dict[str, str] = identity_providers.PROVIDERS
IDENTITY_PROVIDER: str = identity_providers.identity_provider()
SUMSUB_APP_TOKEN: str = env.str("SUMSUB_APP_TOKEN", "")
SUMSUB_SECRET_KEY: str = env.str("SUMSUB_SECRET_KEY", "")
SUMSUB_LEVEL: str = env.str("SUMSUB_LEVEL", "")
SUMSUB_WEBHOOK_SECRETS = gateways.webhook_secrets("SUMSUB_WEBHOOK_SECRET")
# Files in MaxMind's format that say where addresses are; without one no address is looked up.
GEOIP_FILE: str = environment.geoip_file()
# What an address of unknown region means where play for money is closed in some regions.
GEOIP_UNKNOWN_REGION: str = environment.geoip_unknown_region()
# Where text messages are posted, as JSON with `to` and `text`; without it no number can be proved.
SMS_URL: str = environment.https_url("SMS_URL")
SMS_TOKEN: str = env.str("SMS_TOKEN", "")
# Whether webhooks may be sent to addresses of the installation's own network, and without TLS.
WEBHOOK_PRIVATE_TARGETS: bool = env.bool("WEBHOOK_PRIVATE_TARGETS", False)
# The address that a gateway's page sends players back to.
PUBLIC_URL: str = environment.public_url()
# Signs what goes to players' devices (Web Push), and whom push services write to about it.
PUSH_PRIVATE_KEY: str = environment.push_key()
PUSH_CONTACT: str = environment.push_contact()
# How long new deposits cannot be withdrawn, until staff set a term of their own.
DEPOSIT_TERM_HOURS: int = environment.whole("DEPOSIT_TERM_HOURS", 24, most=8_760)
# Above this amount, in whole units of its currency, a withdrawal takes three people of staff.
THREE_PEOPLE_ABOVE: int = environment.whole("THREE_PEOPLE_ABOVE", 100_000, most=999_999_999)
# Bank codes (the first four letters of an IFSC) that are younger than this release's list of banks.
BANK_CODES_ADDED: list[str] = environment.bank_codes()
# How long a withdrawal to an account other than the player's last one is not approved.
NEW_ACCOUNT_HOURS: int = environment.whole("NEW_ACCOUNT_HOURS", 24, most=720)
# How long each state of a withdrawal lasts at most; players see it (RB 11.2).
WITHDRAWAL_WAIT_HOURS = {
    "requested": environment.whole("WITHDRAWAL_APPROVAL_HOURS", 24, least=1, most=8_760),
    "approved": environment.whole("WITHDRAWAL_PAYMENT_HOURS", 48, least=1, most=8_760),
}

# How often a player may ask, and how often all of an address may (`core.http.rates`).
THROTTLES = throttles.throttles()
# Where the newest seal is sent each hour, so that a rewritten history is found: mailboxes, a URL.
SEAL_HEADS_EMAIL: list[str] = env.list("SEAL_HEADS_EMAIL", default=[])
SEAL_HEADS_URL: str = environment.https_url("SEAL_HEADS_URL")
SEAL_HEADS_TOKEN: str = env.str("SEAL_HEADS_TOKEN", "")
# Statements the ledger's audit asks besides the wallet's own: files of the apps above it.
LEDGER_AUDIT_SQL = [
    "tables.settlement.audit",
    "tables.integrity.audit_play",
    "tournaments.prizes.audit",
    "finance.closing.audit",
    "finance.reconciliation.audit_returns",
]
# Functions that compute what no statement can; they run with the audit (wallet/audit/audit.py).
LEDGER_AUDIT_CHECKS = [
    "wallet.audit.gateway_events.findings",
    "tables.integrity.play_audit.findings",
    "tournaments.integrity.contest_audit.findings",
]
# How many months before this one `archive_months` keeps, and statements why one cannot go yet.
MONTHS_KEPT = {"tables_move": environment.whole("MOVES_KEPT_MONTHS", 24, least=1, most=1_200)}
# Where the audit of play looks for the files that `archive_months` wrote; "" to read none.
MONTHS_DIR: str = env.str("MONTHS_DIR", "")
MONTHS_UNFINISHED = {"tables_move": ["tables.dealing.unfinished_month"]}

# The name that stands in the files of finance.
SITE_NAME: str = env.str("SITE_NAME", "Pool Rummy")
# Requests a finance token may make, as in "60/min".
FINANCE_RATE: str = env.str("FINANCE_RATE", "60/min")
# Where workers leave finished exports for the site to hand out, and for how long.
EXPORTS_DIR: str = env.str("EXPORTS_DIR", str(BASE_DIR / ".rummy" / "exports"))
# What one token's exports may amount to in 24 hours.
EXPORTS_MEGABYTES_PER_DAY: int = environment.whole(
    "EXPORTS_MEGABYTES_PER_DAY", 10_000, least=1, most=100_000_000
)
EXPORTS_KEPT_HOURS: int = environment.whole("EXPORTS_KEPT_HOURS", 24, least=1, most=87_600)

# What players read of how long records of closed accounts are kept; nothing is deleted by it.
RECORDS_KEPT_YEARS: int = environment.whole("RECORDS_KEPT_YEARS", 8, least=1, most=100)
# How long documents of players are kept after a decision about them.
IDENTITY_DOCUMENT_DAYS: int = environment.kept_days("IDENTITY_DOCUMENT_DAYS", 180)
# How long the answer to a money request is kept, to be given again for the same key.
IDEMPOTENCY_KEPT_DAYS: int = environment.kept_days("IDEMPOTENCY_KEPT_DAYS", 90)

# Play points in hundredths: what a new player gets, and what a player may fill up to once a day.
PLAY_POINTS_SIGN_UP = 10_000_00
PLAY_POINTS_REFILL_TO = 10_000_00
# How long a practice bot pretends to think; 0 plays at once.
BOT_THINK_SECONDS: float = environment.seconds("BOT_THINK_SECONDS", 1.2, most=60)
# How long a seat at a waiting table is kept whose player is away, before its money is returned.
AWAY_MINUTES: int = environment.whole("AWAY_MINUTES", 5, least=1, most=10_080)
# How long after its deal a dispute can be opened, and how many a player may open in 24 hours.
DISPUTE_DAYS: int = environment.whole("DISPUTE_DAYS", 30, most=3_650)
DISPUTES_PER_DAY: int = environment.whole("DISPUTES_PER_DAY", 10, most=1_000)
# How many days of play the nightly search for pairs that play together looks back.
COLLUSION_DAYS: int = environment.whole("COLLUSION_DAYS", 28, least=1, most=366)
# Seeds of `manage.py simulate`; a deployment that sets it fails `check --deploy`.
SIMULATION_SEED: str = env.str("SIMULATION_SEED", "")

LOGGING = log_lines.LOGGING
# Lines name players by their keys; addresses are the proxy's to log.
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False
# Below its logger's level: django.request has a line of each refusal already.
DJANGO_STRUCTLOG_STATUS_4XX_LOG_LEVEL = logging.INFO
