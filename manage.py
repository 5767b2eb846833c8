#!/usr/bin/env python
"""Django's command line; starts the project's own servers where none are configured."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if sys.argv[1:2] == ["demo"]:
        # The demo starts the servers the settings ask for, so it runs before them.
        from devtools import demo

        sys.exit(demo.main(sys.argv[2:]))

    if sys.argv[1:2] == ["doctor"]:
        # It also reports invalid settings.
        from devtools import doctor

        sys.exit(doctor.main(sys.argv[2:]))

    from devtools import launcher

    if launcher.must_run(sys.argv):
        launcher.join_or_start(sys.argv)

    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
