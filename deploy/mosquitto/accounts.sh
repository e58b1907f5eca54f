#!/bin/sh
# Makes the broker's accounts from the environment and from the gateways added so far. Runs before each start of the broker.
set -eu
umask 077
config=${CONFIG:-/mosquitto/config}
data=${DATA:-/mosquitto/data}
accounts=$data/accounts
mkdir -p "$accounts" "$data/gateways"

# Passwords stay out of the arguments of any process: a file is hashed in place.
: >"$accounts/passwords"
[ -z "${INGEST_PASSWORD:-}" ] || echo "ingest:$INGEST_PASSWORD" >>"$accounts/passwords"
[ -z "${HUB_PASSWORD:-}" ] || echo "hub:$HUB_PASSWORD" >>"$accounts/passwords"
[ -z "${ALARMS_PASSWORD:-}" ] || echo "alarms:$ALARMS_PASSWORD" >>"$accounts/passwords"
[ -z "${ANALYTICS_PASSWORD:-}" ] || echo "analytics:$ANALYTICS_PASSWORD" >>"$accounts/passwords"
[ -z "${API_PASSWORD:-}" ] || echo "api:$API_PASSWORD" >>"$accounts/passwords"
[ -z "${SIMULATE_PASSWORD:-}" ] || echo "simulate:$SIMULATE_PASSWORD" >>"$accounts/passwords"
[ ! -s "$accounts/passwords" ] || mosquitto_passwd -U "$accounts/passwords"
cp "$config/acl" "$accounts/acl"
for gateway in "$data"/gateways/*.passwords; do [ ! -e "$gateway" ] || cat "$gateway" >>"$accounts/passwords"; done
for gateway in "$data"/gateways/*.acl; do [ ! -e "$gateway" ] || { echo; cat "$gateway"; } >>"$accounts/acl"; done

# As root (the container), the files go to the user that the broker turns itself into.
[ "$(id -u)" != 0 ] || chown -R mosquitto:mosquitto "$data"
