#!/bin/sh
# What the public image promises of an empty volume: a superuser with the password of a file, and each script run once.
set -eu
export PGDATA="${PGDATA:-$(cat /etc/pgdata)}"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  chmod 700 "$PGDATA"
  initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-host=scram-sha-256 --auth-local=trust
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl -o "-c listen_addresses='' -k /var/run/postgresql" -w start
  for script in /docker-entrypoint-initdb.d/*.sh; do
    PGHOST=/var/run/postgresql "$script"
  done
  pg_ctl -m fast -w stop
fi
exec "$@" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql
