#!/usr/bin/env bash
# DataHub's Python SDK for the tests of its doors, in an environment of its own: it needs 60 packages, which have no place in ours.
set -euo pipefail

version=1.7.0.17
place="${HEADWATER_CACHE:-$HOME/.cache/headwater}/datahub-$version"
[ -e "$place/installed" ] && exit 0

echo "installing acryl-datahub $version into $place ..."
rm -rf "$place"
mkdir -p "$(dirname "$place")"
"${PYTHON:-python3}" -m venv "$place"
if ! "$place/bin/pip" install --quiet --disable-pip-version-check "acryl-datahub[datahub-rest]==$version"; then
  rm -rf "$place"
  echo "install_datahub: the SDK could not be installed; without it its tests are skipped." >&2
  [ "${CI:-}" = true ] && exit 1
  exit 0
fi
touch "$place/installed"
