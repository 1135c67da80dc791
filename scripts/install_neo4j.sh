#!/usr/bin/env bash
# A Neo4j server for the tests and benches, as jars outside of the repository. It runs as a process of its own.
set -euo pipefail

cache="${HEADWATER_CACHE:-$HOME/.cache/headwater}"
neo4j=5.26.30
purpose="the tests on Neo4j"
[ -d "$cache/neo4j-$neo4j" ] && exit 0
# shellcheck source=scripts/fetch_jars.sh
. "$(dirname "$0")/fetch_jars.sh"
need_java_and_maven

fetch "neo4j-$neo4j" <<JARS
org.neo4j:neo4j:$neo4j
JARS
