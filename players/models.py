"""Imports the models of all packages, for Django to find."""

import players.accounts.models
import players.cases.models
import players.eligibility.break_models
import players.eligibility.hold_models
import players.eligibility.places.models
import players.identity.models
import players.identity.phones.models
import players.identity.providers.models
import players.limits.models
import players.notifications.models
import players.sign_in.devices.models
import players.sign_in.security.models
import players.sign_in.tokens.models  # noqa: F401
