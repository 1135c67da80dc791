#!/usr/bin/env bash
# What the tests of the web page need: npm's packages, Chromium, and a font with Chinese in it.
set -euo pipefail
cd "$(dirname "$0")/.."

(cd web && source scripts/node.sh && scripts/install.sh)

missing=()
{ [ -n "${CHROMIUM:-}" ] || command -v chromium chromium-browser google-chrome >/dev/null; } || missing+=(chromium)
{ command -v fc-list >/dev/null && [ -n "$(fc-list :lang=zh family)" ]; } || missing+=(fontconfig fonts-wqy-zenhei)
[ "${#missing[@]}" -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
  echo "install_browser: install ${missing[*]} by hand, on Debian:" >&2
  echo "  sudo apt-get install --no-install-recommends ${missing[*]}" >&2
  echo "  Without Chromium the tests of the web page are skipped." >&2
  exit 0
fi

echo "installing ${missing[*]} ..."
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
if ! { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  rm -f "$log"
  exit 1
fi
rm -f "$log"
