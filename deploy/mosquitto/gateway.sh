#!/bin/sh
# Gives a gateway an account of its own, with the rights of exactly its topics, and prints the password once:
#   docker compose exec broker sh /mosquitto/config/gateway.sh GROUP EDGE_NODE && docker compose restart broker
set -eu
umask 077
data=${DATA:-/mosquitto/data}
group=${1:?usage: gateway.sh GROUP EDGE_NODE} node=${2:?usage: gateway.sh GROUP EDGE_NODE}

# A name with + or # would become a wildcard in its own rights.
for name in "$group" "$node"; do
  case $name in *[!A-Za-z0-9_-]* | '' | STATE) echo "gateway.sh: a name consists of letters, digits, _ and -: $name" >&2; exit 1 ;; esac
done
account=$group.$node
password=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
mkdir -p "$data/gateways"
echo "$account:$password" >"$data/gateways/$account.passwords"
mosquitto_passwd -U "$data/gateways/$account.passwords"
cat >"$data/gateways/$account.acl" <<ACL
user $account
topic write spBv1.0/$group/NBIRTH/$node
topic write spBv1.0/$group/NDATA/$node
topic write spBv1.0/$group/NDEATH/$node
topic write spBv1.0/$group/DBIRTH/$node/+
topic write spBv1.0/$group/DDATA/$node/+
topic write spBv1.0/$group/DDEATH/$node/+
topic read spBv1.0/$group/NCMD/$node
topic read spBv1.0/$group/DCMD/$node/+
topic read spBv1.0/STATE/+
ACL
echo "user $account password $password"
