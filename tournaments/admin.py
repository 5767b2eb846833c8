"""The admin of all rooms, gathered where Django looks for it."""

from tournaments.lobby import admin, templates_admin

__all__ = ["admin", "templates_admin"]
