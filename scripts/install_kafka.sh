#!/usr/bin/env bash
# A Kafka broker for the tests, and what Spark needs to read from it, as jars outside of the repository.
set -euo pipefail

cache="${HEADWATER_CACHE:-$HOME/.cache/headwater}"
kafka=4.3.1
purpose="the tests on Kafka"
[ -d "$cache/kafka-$kafka" ] && [ -d "$cache/spark-kafka" ] && exit 0
# shellcheck source=scripts/fetch_jars.sh
. "$(dirname "$0")/fetch_jars.sh"
need_java_and_maven

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
