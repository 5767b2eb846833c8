"""Import the admin modules of tournaments for Django's autodiscovery."""

from tournaments.lobby import admin, templates_admin

__all__ = ["admin", "templates_admin"]
