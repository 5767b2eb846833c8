"""Imports the admin modules of all packages, for Django to find."""

import players.cases.admin
import players.eligibility.admin
import players.identity.admin
import players.identity.phones.admin
import players.sign_in.users_admin  # noqa: F401
