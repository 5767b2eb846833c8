"""Settings of sign-in: passwords, allauth, second factors and lockouts after wrong guesses."""

from __future__ import annotations

from config import environment
from config.environment import EPHEMERAL, env

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
PASSWORD_HASHERS = ["players.sign_in.hashing.PasswordHasher"]
# Passwords that a process hashes at once, and sign-ins that may wait. `serve web` sets both by its
# number of threads, so that some threads are left for other requests.
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
ACCOUNT_ADAPTER = "wallet.bonuses.play_points.SignUpAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_FORMS = {"reset_password": "players.sign_in.password_reset.ResetPasswordForm"}
ACCOUNT_SIGNUP_FORM_CLASS = "players.sign_in.forms.SignUpForm"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = env.str("EMAIL_VERIFICATION", "optional")
# A mobile carrier puts thousands of people behind one address: successful attempts are not counted,
# and limits by address alone are large. Limits that are missing here are allauth's defaults.
ACCOUNT_RATE_LIMITS = {
    # New accounts per address, guests and sign-ups together.
    "signup": env.str("GUEST_RATE", "100/h/ip"),
    # These count successful sign-ins too; failures are limited below.
    "login": None,
    "reauthenticate": None,
    "reset_password_from_key": None,  # The key in a link cannot be guessed.
    # Wrong passwords of all accounts together; `players.sign_in.lockout` limits those of one
    # account.
    "password_failed": "30/m/ip,300/h/ip",
    # Wrong codes of a second factor, after a correct password.
    "login_failed": "10/15m/key,50/d/key",
    # Wrong passwords in a browser that is signed in.
    "reauthentication_failed": "10/h/user",
    "reauthentication_code": "10/h/user",
    "change_password": "10/h/user",
    # E-mails to one mailbox. Strangers on one network reach their own limit before the owner's.
    "confirm_email": "50/h/ip,120/h/key",
    "reset_password": "100/h/ip,60/h/key",
    "reset_password_of_mailbox": "10/h/key",
}
# Changes of the sign-in data need a recent proof of identity (`players.sign_in.security`).
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 600
ACCOUNT_LOGOUT_ON_GET = False
# Sign-up answers alike for taken and free addresses; only the owner can verify one.
ACCOUNT_PREVENT_ENUMERATION = "strict"
# Staff need a second factor; switch this off only in test installations.
STAFF_MFA_REQUIRED: bool = env.bool("STAFF_MFA_REQUIRED", not EPHEMERAL)
MFA_TOTP_ISSUER = "Pool Rummy"
# Codes of the 30 seconds before and after are valid too: clocks differ, typing takes time (RFC
# 6238).
MFA_TOTP_TOLERANCE = 1
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "lobby"
LOGOUT_REDIRECT_URL = "landing"
AXES_FAILURE_LIMIT = "players.sign_in.lockout.failure_limit"
AXES_COOLOFF_TIME = 0.25  # Hours.
AXES_LOCKOUT_PARAMETERS = "players.sign_in.lockout.lockout_parameters"
AXES_RESET_ON_SUCCESS = True
# Otherwise repeated guesses would lock out everyone behind the same address permanently.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_TEMPLATE = "lockout.html"
AXES_ENABLE_ADMIN = False  # Staff must not edit these security records.
AXES_CLIENT_IP_CALLABLE = "core.addresses.client_network"
AXES_USERNAME_CALLABLE = "players.sign_in.lockout.counted_as"
