"""The jobs of one run: found by a tag, so that they can be counted and stopped and no others are."""

from __future__ import annotations

import contextlib
import threading
import uuid
from typing import Any, Protocol

from discreet.engines.spark.session import SparkConnection


class Jobs(Protocol):
    """What a run needs of Spark beside its rows."""

    tag: str
    """By which Spark knows the jobs of this run."""

    def begin(self) -> None:
        """Tag what this thread runs from now on."""

    def end(self) -> None:
        """Tag it no more."""

    def stop(self) -> None:
        """Stop all jobs with the tag. Raises nothing."""

    def share(self) -> float:
        """Return how much of the tasks that Spark knows of is done, from 0 to 1, or a negative number."""


def count_jobs(session: SparkConnection) -> Jobs:
    """Return the jobs of a new run."""
    tag = f"discreet-{uuid.uuid4().hex}"
    return ConnectJobs(session.session, tag) if session.context is None else ClusterJobs(session.context, tag)


class ClusterJobs:
    """Jobs of the Spark of this process, told by its status tracker."""

    def __init__(self, context: Any, tag: str) -> None:
        self._context, self.tag = context, tag

    def begin(self) -> None:
        """Tag what this thread runs from now on; stopping it interrupts its tasks."""
        self._context.addJobTag(self.tag)
        self._context.setInterruptOnCancel(True)

    def end(self) -> None:
        """Tag it no more."""
        with contextlib.suppress(Exception):  # a Spark that was stopped has no tags
            self._context.removeJobTag(self.tag)

    def stop(self) -> None:
        """Stop all jobs with the tag."""
        with contextlib.suppress(Exception):
            self._context.cancelJobsWithTag(self.tag)

    def share(self) -> float:
        """Return how much of the tasks of all stages that have begun is done."""
        try:
            tracker = self._context.statusTracker()
            found = self._context._jsc.sc().statusTracker().getJobIdsForTag(self.tag)
            infos = [info for job in found if (info := tracker.getJobInfo(job)) is not None]
            stages = {stage for info in infos for stage in info.stageIds}
            counts = [counted for stage in stages if (counted := tracker.getStageInfo(stage)) is not None]
        except Exception:
            return -1.0
        tasks = sum(each.numTasks for each in counts)
        return sum(each.numCompletedTasks for each in counts) / tasks if tasks else -1.0


class ConnectJobs:
    """Jobs behind Spark Connect, which tells the thread that waits for one how far it is."""

    def __init__(self, session: Any, tag: str) -> None:
        self._session, self.tag = session, tag
        self._thread: int | None = None
        self._share = -1.0

    def begin(self) -> None:
        """Tag what this thread runs from now on."""
        if self._thread is None:
            self._thread = threading.get_ident()
            self._session.addTag(self.tag)
            self._session.registerProgressHandler(self._told)
        self._share = -1.0

    def end(self) -> None:
        """Tag it no more."""
        with contextlib.suppress(Exception):
            self._session.removeProgressHandler(self._told)
            self._session.removeTag(self.tag)

    def stop(self) -> None:
        """Stop all operations with the tag."""
        with contextlib.suppress(Exception):
            self._session.interruptTag(self.tag)

    def share(self) -> float:
        """Return how much was done when the server last said so."""
        return self._share

    def _told(self, stages: Any, inflight_tasks: int, operation_id: str | None, done: bool) -> None:
        """Take note of stages; other threads of the session are told of theirs here too."""
        if threading.get_ident() == self._thread:
            known = list(stages or ())
            tasks = sum(each.num_tasks for each in known)
            self._share = sum(each.num_completed_tasks for each in known) / tasks if tasks else -1.0
