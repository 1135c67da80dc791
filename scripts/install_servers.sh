#!/usr/bin/env bash
# PostgreSQL and MariaDB for the tests, which start servers of their own: no service is set up, nothing is left running.
set -euo pipefail

has_postgresql() { command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; }
has_mariadb() { command -v mariadbd >/dev/null || command -v /usr/sbin/mariadbd >/dev/null; }

missing=()
has_postgresql || missing+=(postgresql)
has_mariadb || missing+=(mariadb-server-core)
[ "${#missing[@]}" -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "install_servers: install ${missing[*]} by hand (initdb and mariadbd must be on the PATH);" >&2
  echo "  without them the tests on those databases are skipped." >&2
  exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "install_servers: run  sudo apt-get install --no-install-recommends ${missing[*]};" >&2
  echo "  without them the tests on those databases are skipped." >&2
  exit 0
fi

echo "installing ${missing[*]} ..."
export DEBIAN_FRONTEND=noninteractive
export RUNLEVEL=1 # no service is started
if ! has_postgresql && [ ! -e /etc/postgresql-common/createcluster.conf ]; then
  mkdir -p /etc/postgresql-common
  echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf # and no cluster is made
fi
log=$(mktemp)
if ! { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  rm -f "$log"
  exit 1
fi
rm -f "$log"
