#!/usr/bin/env bash
# Everything about the web page that needs no browser: types made from the server's description, lint, types, unit tests.
# Run from the top of the repository; PYTHON is the interpreter that has Headwater.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/node.sh
scripts/install.sh
"${PYTHON:-../.venv/bin/python}" ../scripts/openapi.py >openapi.json
node scripts/types.mjs openapi.json
npx --no-install eslint --max-warnings 0 .
npx --no-install prettier --check --log-level warn .
npx --no-install tsc -p .
npx --no-install vitest run
