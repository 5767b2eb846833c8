#!/bin/sh
# Runs once, when the database is made: separate logins for the schema's owner and the application.
set -eu
psql -v ON_ERROR_STOP=1 -U postgres -d rummy \
    -v owner_password="$OWNER_PASSWORD" -v app_password="$APP_PASSWORD" <<'SQL'
CREATE ROLE rummy_app NOLOGIN;
CREATE ROLE rummy_owner LOGIN PASSWORD :'owner_password';
GRANT rummy_app TO rummy_owner;
CREATE ROLE rummy_web LOGIN PASSWORD :'app_password' IN ROLE rummy_app;
ALTER DATABASE rummy OWNER TO rummy_owner;
SQL
