#!/usr/bin/env bash
# A Kafka broker for the tests, and what Spark needs to read from it, as jars outside of the repository.
set -euo pipefail

cache="${HEADWATER_CACHE:-$HOME/.cache/headwater}"
kafka=4.3.1
plugin=org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies

[ -d "$cache/kafka-$kafka" ] && [ -d "$cache/spark-kafka" ] && exit 0
for program in mvn java; do
  if ! command -v "$program" >/dev/null; then
    echo "install_kafka: there is no $program; without it the tests on Kafka are skipped." >&2
    exit 0
  fi
done

# fetch FOLDER [EXCLUSIONS], a dependency a line on standard input: group:artifact:version
fetch() {
  local folder="$cache/$1" without="${2:-}" aside
  [ -d "$folder" ] && return
  echo "fetching $(basename "$folder") ..."
  mkdir -p "$cache"
  aside=$(mktemp -d "$cache/fetching.XXXXXX")
  {
    echo '<project><modelVersion>4.0.0</modelVersion><groupId>headwater</groupId><artifactId>jars</artifactId><version>1</version><dependencies>'
    while IFS=: read -r group artifact version; do
      echo "<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version>$without</dependency>"
    done
    echo '</dependencies></project>'
  } >"$aside/pom.xml"
  if ! mvn -B -q -f "$aside/pom.xml" "$plugin" -DincludeScope=runtime "-DoutputDirectory=$aside/jars" >"$aside/log" 2>&1; then
    tail -n 20 "$aside/log" >&2
    rm -rf "$aside"
    echo "install_kafka: it could not be fetched; without it the tests on Kafka are skipped." >&2
    exit 0
  fi
  mv -T "$aside/jars" "$folder" 2>/dev/null || true # somebody else may have been faster
  rm -rf "$aside"
}

fetch "kafka-$kafka" <<JARS
org.apache.kafka:kafka_2.13:$kafka
org.slf4j:slf4j-simple:1.7.36
JARS

# Five jars by name instead of one with all it asks for: they work with Spark 4.0 to 4.3, and resolve wherever these
# very versions are, which of all that Spark's own descriptors name is not true of every mirror.
fetch spark-kafka '<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>' <<JARS
org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0
org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.0.0
org.apache.kafka:kafka-clients:3.9.2
org.apache.commons:commons-pool2:2.13.1
org.scala-lang.modules:scala-parallel-collections_2.13:1.2.0
JARS
