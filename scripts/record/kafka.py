"""A Kafka broker for the time of a recording: `with kafka(folder) as port`. Needs Java 17 and Maven."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from postgres import free_port
from workshop import CACHE, run

__all__ = ["kafka"]

VERSION = "4.3.1"
POM = """<project><modelVersion>4.0.0</modelVersion><groupId>record</groupId>
<artifactId>kafka</artifactId><version>1</version>
<dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>{version}</version></dependency>
<dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
</dependencies></project>
"""
PROPERTIES = """process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{broker},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{broker}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAINTEXT
log.dirs={folder}/data
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
"""


def jars() -> Path:
    folder = CACHE / f"kafka-{VERSION}"
    if not folder.exists():
        pom = CACHE / "kafka-pom.xml"
        pom.write_text(POM.format(version=VERSION))
        run(
            "mvn", "-B", "-q", "-f", pom, "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies",
            "-DincludeScope=runtime", f"-DoutputDirectory={folder}",
        )  # fmt: skip
    return folder


@contextlib.contextmanager
def kafka(folder: Path) -> Iterator[int]:
    """One broker on loopback; topics appear when first written to."""
    home, broker = folder / "kafka", free_port()
    home.mkdir()
    settings = home / "server.properties"
    settings.write_text(PROPERTIES.format(broker=broker, controller=free_port(), folder=home))
    java = ["java", "-Xmx512m", "-cp", f"{jars()}/*"]
    run(*java, "kafka.tools.StorageTool", "format", "-t", "aGVhZHdhdGVyLXJlY29yZA", "-c", settings)
    log = folder / "kafka.log"
    with log.open("wb") as output:
        server = subprocess.Popen([*java, "kafka.Kafka", settings], stdout=output, stderr=output)
        try:
            while "Kafka Server started" not in log.read_text():
                if server.poll() is not None:
                    raise SystemExit(log.read_text())
                time.sleep(0.5)
            yield broker
        finally:
            server.terminate()
            server.wait(30)
