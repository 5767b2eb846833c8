"""PgBouncer in transaction mode with the settings of docs/operations.md."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from pathlib import Path

from config import databases
from core.db.binaries import server_user
from devtools.children import start_child
from devtools.postgres import DATABASE
from tests.builders.processes.pgbouncer import PROGRAM, keeps_statements
from tests.builders.processes.product import free_port
from tests.trials.nodes.pair import Database

# Names of search paths are not quoted; every other value is.
SESSION = "; ".join(
    f"SET {name} = " + (value if name == "search_path" else f"''{value}''")
    for name, value in databases.SESSION.items()
)
CONFIG = """
[databases]
{name} = {primary} dbname={name} connect_query='{session}'
{replica_name} = {replica} dbname={name} connect_query='{session}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {directory}/users
pool_mode = transaction
default_pool_size = 40
{keeps}
max_client_conn = 1000
server_login_retry = 1
logfile = {directory}/log
"""


# As which database the pooler offers the replica's.
REPLICA_NAME = f"{DATABASE}_replica"


class Pooler:
    """Its files, and how it is started; `point_to` takes effect at the next SIGHUP."""

    def __init__(self, directory: Path, database: Database) -> None:
        self.directory, self.port = directory, free_port()
        directory.mkdir(mode=0o755)
        directory.parent.chmod(0o711)
        (directory / "users").write_text('"rummy_web" ""\n')
        self.point_to(database)

    def url(self, database: str) -> str:
        return f"postgres://rummy_web@127.0.0.1:{self.port}/{database}"

    def point_to(self, database: Database) -> None:
        """Write where the servers are that write and that read."""
        (self.directory / "ini").write_text(
            CONFIG.format(
                name=DATABASE,
                primary=database.primary,
                replica_name=REPLICA_NAME,
                replica=database.replica,
                port=self.port,
                directory=self.directory,
                session=SESSION,
                keeps="max_prepared_statements = 200" if keeps_statements() else "",
            )
        )
        if (user := server_user()) is not None:
            for path in (self.directory, *self.directory.iterdir()):
                os.chown(path, user.pw_uid, user.pw_gid)

    def start(self) -> subprocess.Popen[bytes]:
        assert PROGRAM
        user = server_user()
        process = start_child(
            [PROGRAM, self.directory / "ini"],
            log=self.directory.parent / "log" / "pooler.log",
            user=user.pw_uid if user else None,
            group=user.pw_gid if user else None,
        )
        deadline = time.monotonic() + 10
        while socket.socket().connect_ex(("127.0.0.1", self.port)):
            assert process.poll() is None, "PgBouncer does not start; its log says why"
            assert time.monotonic() < deadline
            time.sleep(0.05)
        return process
