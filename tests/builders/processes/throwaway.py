"""An environment in which a command starts servers of its own, gone when it ends."""

import os

HIDDEN = ("DATABASE_URL", "REDIS_URL", "RUMMY_TEST_SERVERS", "DJANGO_SETTINGS_MODULE")


def throwaway_servers(**more):
    own = {name: value for name, value in os.environ.items() if name not in HIDDEN}
    return own | {"RUMMY_EPHEMERAL": "1"} | more
