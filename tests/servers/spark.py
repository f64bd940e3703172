"""A real Spark for tests: a standalone cluster of a master and two workers on loopback, each a process of its own.

They end with the process that started them, however that ends.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from servers.guarded import Folder, start_server
from servers.missing import missing
from servers.ports import free_port

MEMORY = "700m"
SHORT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData"
"""For Java programs that run for minutes: compiling them well costs more than it gains."""

SMALL = {
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
}
"""Settings of sessions on such a cluster: one small executor on each worker."""

LOGGING = """\
rootLogger.level = info
rootLogger.appenderRef.stderr.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %m%n
"""


def home() -> Path:
    """Return where Spark is, or skip the test at hand."""
    found = importlib.util.find_spec("pyspark")
    if found is None or found.origin is None:
        missing("Spark", "pyspark is not installed: pip install 'discreet[spark]'")
    if shutil.which(str(Path(os.environ.get("JAVA_HOME", "")) / "bin" / "java")) is None and not shutil.which("java"):
        missing("Spark", "Java is not installed: apt install openjdk-17-jre-headless")
    return Path(found.origin).parent


def write_options(folder: Path) -> str:
    """Return options for Java programs that leave their temporary files in a folder."""
    return f"{SHORT} -Djava.io.tmpdir={folder}"


class Process:
    """One of Spark's programs, begun in a group of its own; ready when it has said a certain word."""

    def __init__(self, folder: Path, name: str, command: list[str], ready: str, memory: str = "300m") -> None:
        self.lines: list[str] = []
        settings = folder / "log4j2.properties"
        settings.write_text(LOGGING)
        environment = {
            **os.environ,
            "SPARK_HOME": str(home()),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(folder),
            "SPARK_WORKER_DIR": str(folder / name),
            "SPARK_DAEMON_MEMORY": memory,
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_DAEMON_JAVA_OPTS": f"{write_options(folder)} -Dlog4j2.configurationFile=file:{settings}",
        }
        self._guard = start_server(command, folder, environment=environment, output=subprocess.PIPE)
        assert self._guard.process.stderr is not None
        self._said: Iterator[str] = (line.decode() for line in self._guard.process.stderr)
        for line in self._said:
            self.lines.append(line)
            if ready in line:
                threading.Thread(target=self._drain, daemon=True).start()
                return
        self.kill()
        raise RuntimeError(f"{name} did not start: {''.join(self.lines[-20:])}")

    def _drain(self) -> None:
        with contextlib.suppress(ValueError):
            for _ in self._said:
                pass

    def kill(self) -> None:
        """End the process and all that it began, at once."""
        self._guard.end()
        assert self._guard.process.stderr is not None
        with contextlib.suppress(OSError, RuntimeError, ValueError):
            self._guard.process.stderr.close()


class Cluster:
    """A master and two workers, in a folder that goes with them."""

    def __init__(self) -> None:
        self._spark = home() / "bin" / "spark-class"
        self._place = Folder("discreet-spark-")
        self.folder = self._place.path
        self._processes: dict[str, Process] = {}
        try:
            port = free_port()
            self.master = f"spark://127.0.0.1:{port}"
            place = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
            self._start("master", "org.apache.spark.deploy.master.Master", place, "New state: ALIVE")
            with ThreadPoolExecutor(2) as both:
                list(both.map(self.add_worker, ("first", "second")))
        except BaseException:
            self.remove()
            raise

    def get_settings(self) -> dict[str, str]:
        """Return the settings of sessions on this cluster."""
        options = write_options(self.folder)
        return {
            **SMALL,
            "spark.driver.extraJavaOptions": options,
            "spark.executor.extraJavaOptions": options,
            "spark.local.dir": str(self.folder),
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
        }

    def add_worker(self, name: str) -> None:
        """Start a worker, and return when the master knows it."""
        place = ["--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory", MEMORY, self.master]
        self._start(name, "org.apache.spark.deploy.worker.Worker", place, "Successfully registered with master")

    def kill_worker(self, name: str) -> None:
        """End a worker and its executors as a power cut would."""
        self._processes.pop(name).kill()

    def _start(self, name: str, program: str, arguments: list[str], ready: str) -> None:
        self._processes[name] = Process(self.folder, name, [str(self._spark), program, *arguments], ready)

    def remove(self) -> None:
        """End everything and remove the folder."""
        for process in reversed(self._processes.values()):
            process.kill()
        self._place.remove()


def connect_server(folder: Path) -> tuple[Process, str]:
    """Start a Spark Connect server on one core of this computer; return it and its address."""
    port = free_port()
    options = {"spark.connect.grpc.binding.port": str(port), "spark.connect.grpc.binding.address": "127.0.0.1"}
    options |= {"spark.ui.enabled": "false", "spark.sql.warehouse.dir": str(folder / "warehouse")}
    options |= {"spark.sql.shuffle.partitions": "2"}
    options |= {
        "spark.driver.extraJavaOptions": f"{write_options(folder)} "
        f"-Dlog4j2.configurationFile=file:{folder / 'log4j2.properties'}"
    }
    command = [str(home() / "bin" / "spark-submit"), "--master", "local[1]"]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer"]
    command += [part for name, value in options.items() for part in ("--conf", f"{name}={value}")]
    started = Process(folder, "connect", [*command, "spark-internal"], "Spark Connect server started at", "1g")
    return started, f"sc://127.0.0.1:{port}"
