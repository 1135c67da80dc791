#!/usr/bin/env bash
# Takes the screenshots of docs/tour.md again, of the built page (`make web`).
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/node.sh
exec node node_modules/@playwright/test/cli.js test --config tour.config.ts
