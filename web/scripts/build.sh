#!/usr/bin/env bash
# Builds the web page into src/headwater/web, unless it is there and nothing of it has changed since.
# Takes the machine's Node if it is 20.19 or newer, else the one that PyPI has, installed beside the page.
set -euo pipefail
cd "$(dirname "$0")/.."
built=../src/headwater/web
inputs=$({ find src public scripts -type f ! -name '*.test.ts*' ! -name schema.d.ts -print0 | sort -z | xargs -0 cat
  cat index.html vite.config.ts package-lock.json; } | sha256sum | cut -d' ' -f1)
[ -e "$built/index.html" ] && [ "$(cat .built 2>/dev/null)" = "$inputs" ] && exit 0

source scripts/node.sh
echo "building the web page ..."
scripts/install.sh --build
node node_modules/vite/bin/vite.js build --logLevel warn
node scripts/compress.mjs
echo "$inputs" >.built
