#!/bin/sh
# The roles of the database, made once with an empty volume: whose the tables are, who uses them, and who makes
# partitions for samples. `berth-server migrate` says what each may do.
set -eu
cd "${BERTH_SECRET_FILES:-/run/secrets}"
exec psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
\set owner `cat berth_password`
\set app `cat berth_app_password`
\set keeper `cat berth_keeper_password`
CREATE ROLE berth LOGIN PASSWORD :'owner';
CREATE ROLE berth_app LOGIN PASSWORD :'app';
CREATE ROLE berth_keeper LOGIN PASSWORD :'keeper';
-- What the keeper has made is changed by a later migration.
GRANT berth_keeper TO berth;
CREATE DATABASE berth OWNER berth;
REVOKE ALL ON DATABASE berth FROM PUBLIC;
GRANT CONNECT, TEMPORARY ON DATABASE berth TO berth_app, berth_keeper;
SQL
