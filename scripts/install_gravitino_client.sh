#!/usr/bin/env bash
# Gravitino's own Python client, in an environment of its own outside of the repository: a test reads our stand-in of
# Gravitino's REST API with it. Without most of its dependencies, which are clients of cloud storages and older versions
# of what is used here.
set -euo pipefail

cache="${HEADWATER_CACHE:-$HOME/.cache/headwater}"
version=1.3.1
place="$cache/gravitino-client-$version"
[ -x "$place/bin/python" ] && [ -e "$place/.ready" ] && exit 0
uv="$(dirname "$0")/../.venv/bin/uv"
if [ ! -x "$uv" ]; then
  echo "install_gravitino_client: run make setup first; without the client its test is skipped." >&2
  exit 0
fi
echo "installing apache-gravitino $version ..."
"$uv" venv --quiet --clear "$place"
if ! "$uv" pip install --quiet --python "$place/bin/python" --no-deps "apache-gravitino==$version" dataclasses-json \
  typing-inspect marshmallow typing-extensions mypy-extensions packaging readerwriterlock requests urllib3 certifi idna \
  charset-normalizer cachetools fsspec; then
  echo "install_gravitino_client: it could not be installed; its test is skipped." >&2
  exit 0
fi
touch "$place/.ready"
