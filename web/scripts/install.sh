#!/usr/bin/env bash
# npm's packages, once for each package-lock.json: all of them, or with `--build` only what building needs.
set -euo pipefail
cd "$(dirname "$0")/.."
stamp=node_modules/.installed
only=${1:-}
if [ -e "$stamp" ] && [ "$stamp" -nt package-lock.json ]; then
  [ "$only" = --build ] || [ ! -s "$stamp" ] && exit 0
fi
npm ci --no-audit --no-fund --loglevel=error ${only:+--omit=dev}
echo -n "$only" >"$stamp"
