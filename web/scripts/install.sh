#!/usr/bin/env bash
# npm's packages, once for each package-lock.json.
set -euo pipefail
cd "$(dirname "$0")/.."
stamp=node_modules/.installed
[ -e "$stamp" ] && [ "$stamp" -nt package-lock.json ] && exit 0
npm ci --no-audit --no-fund --loglevel=error
touch "$stamp"
