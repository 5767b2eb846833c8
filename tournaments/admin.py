"""Import the admin modules of tournaments for Django's autodiscovery."""

from tournaments.leagues import admin as leagues_admin
from tournaments.lobby import admin, templates_admin

__all__ = ["admin", "leagues_admin", "templates_admin"]
