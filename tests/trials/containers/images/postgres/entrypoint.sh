# What PostgreSQL's image does at its first start: a cluster, a database, the scripts beside it.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    mkdir -p "$PGDATA"
    chmod 700 "$PGDATA"
    printf '%s' "$POSTGRES_PASSWORD" > /tmp/password
    initdb --pgdata "$PGDATA" --username postgres --pwfile /tmp/password \
        --auth-local trust --auth-host scram-sha-256 --encoding UTF8 --locale C.UTF-8
    rm /tmp/password
    echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
    printf "listen_addresses = '*'\nunix_socket_directories = '%s'\n" "$PGHOST" >> "$PGDATA/postgresql.conf"
    pg_ctl --pgdata "$PGDATA" -o "-c listen_addresses=" --wait start
    createdb --username postgres "$POSTGRES_DB"
    for script in /docker-entrypoint-initdb.d/*.sh; do sh "$script"; done
    pg_ctl --pgdata "$PGDATA" --mode fast --wait stop
fi
exec "$@"
