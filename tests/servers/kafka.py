"""Kafka: one broker that is its own controller, from jars that `scripts/install_kafka.sh` brings."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from tests.servers.process import ServerMissing, free_port

__all__ = ["Kafka", "spark_jars"]

CACHE = Path(os.environ.get("HEADWATER_CACHE") or "~/.cache/headwater").expanduser()
_VERSION = "4.3.1"
_WAIT = 60
_CLUSTER = "aGVhZHdhdGVyLXRlc3RzLg"
_PROPERTIES = """process.roles=broker,controller
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
auto.create.topics.enable=false
"""


def spark_jars() -> str:
    """What Spark needs to read from Kafka, for its setting `spark.jars`."""
    jars = sorted((CACHE / "spark-kafka").glob("*.jar"))
    if not jars:
        raise ServerMissing("no jars of Kafka for Spark here: scripts/install_kafka.sh")
    return ",".join(map(str, jars))


class Kafka:
    """A broker on loopback, in a temporary folder. Use as a context manager; `address` is where it is."""

    def __init__(self) -> None:
        self._jars = CACHE / f"kafka-{_VERSION}"
        java = shutil.which("java")
        if java is None or not self._jars.is_dir():
            raise ServerMissing("no Kafka here: install Java 17 and Maven, then scripts/install_kafka.sh")
        self._java = [
            java,
            "-Xms128m",
            "-Xmx384m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            f"{self._jars}/*",
        ]
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.folder = Path(tempfile.mkdtemp(prefix="headwater-kafka-"))
        self._log = self.folder / "server.log"
        port = free_port()
        self.address = f"127.0.0.1:{port}"
        settings = self.folder / "server.properties"
        settings.write_text(_PROPERTIES.format(broker=port, controller=free_port(), folder=self.folder))
        try:
            self._format(settings)
            self._start(settings)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)

    def restart_after_kill(self) -> None:
        """As after a power cut, on the same port and with what was on disk."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(30)
        self._start(self.folder / "server.properties")

    def make_topic(self, name: str, partitions: int = 2) -> None:
        from confluent_kafka.admin import AdminClient, NewTopic

        client = AdminClient({"bootstrap.servers": self.address})
        for outcome in client.create_topics([NewTopic(name, partitions, 1)]).values():
            outcome.result(30)

    def send(self, topic: str, bodies: Iterable[bytes | None]) -> None:
        """Send messages, spread over the partitions, and wait until the broker has them."""
        from confluent_kafka import Producer

        producer = Producer({"bootstrap.servers": self.address, "linger.ms": 5})
        for number, body in enumerate(bodies):
            producer.produce(topic, body, key=str(number).encode())
            producer.poll(0)
        assert producer.flush(30) == 0

    def _format(self, settings: Path) -> None:
        command = [*self._java, "kafka.tools.StorageTool", "format", "-t", _CLUSTER, "-c", settings]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"Kafka cannot be set up:\n{done.stdout}{done.stderr}")

    def _start(self, settings: Path) -> None:
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient

        ends_with_us = ["setpriv", "--pdeathsig=KILL"] if shutil.which("setpriv") else []
        with self._log.open("wb") as output:
            self._process = subprocess.Popen(
                [*ends_with_us, *self._java, "kafka.Kafka", settings], stdout=output, stderr=output, cwd=self.folder
            )
        deadline = time.monotonic() + _WAIT
        client = AdminClient({"bootstrap.servers": self.address, "log_level": 0})
        while True:
            try:
                client.list_topics(timeout=1)
            except KafkaException as error:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    tail = "\n".join(self._log.read_text(errors="replace").splitlines()[-30:])
                    raise RuntimeError(f"Kafka did not start:\n{tail}") from error
                time.sleep(0.1)
            else:
                return
