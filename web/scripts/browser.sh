#!/usr/bin/env bash
# Tests of the built page in a browser: `browser.sh lists.spec.ts`, `browser.sh -g "a part of a title"`; all without arguments.
# PYTHON is the interpreter that has Headwater. Screenshots come into web/screenshots.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/node.sh
exec node node_modules/@playwright/test/cli.js test "$@"
