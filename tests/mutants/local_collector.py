"""The rules of the client's ledger and of the collector, each broken once."""

from __future__ import annotations

from mutants.mutant import Mutant, broken

LEDGER = "tests/local/client/test_client.py"
STORE = "tests/local/client/test_store.py"
COUNTING = "tests/local/test_counting.py"
COLLECTOR = "tests/local/test_collector.py"

CLIENTS = [
    broken(
        "local: a report is handed out before it is counted",
        "local/client/client.py",
        "            self._store.save(diary)\n            return report\n",
        "            self.__dict__.setdefault('later', []).append(diary)\n            return report\n",
        LEDGER,
    ),
    broken(
        "local: a report is counted after it was handed out",
        "local/client/client.py",
        "            self._store.save(diary)\n            return report\n",
        "            import threading\n            threading.Timer(1, lambda: self._store.save(diary)).start()\n"
        "            return report\n",
        LEDGER,
    ),
    broken(
        "local: two metrics have one secret",
        "local/client/store.py",
        "json.dumps([metric, version, generation])",
        "json.dumps([version, generation])",
        LEDGER,
    ),
    broken(
        "local: the cap stops sending",
        "local/client/client.py",
        "                return self._report_nothing(metric, page)\n",
        "                raise ClientError('nothing is sent any more')\n",
        LEDGER,
    ),
    broken(
        "local: beyond the cap of a lifetime values are told",
        "local/client/client.py",
        "fits(later[0], metric.lifetime)",
        "True",
        LEDGER,
    ),
    broken(
        "local: beyond the cap of a day values are told",
        "local/client/client.py",
        "fits(later[1], metric.daily)",
        "True",
        LEDGER,
    ),
    broken(
        "local: a report of nothing shows permanent noise",
        "local/client/client.py",
        "        return metric.encode(None, self._coins)\n",
        "        return metric.wrap(metric.mechanism.recall(metric.domain.place(None), bytes(32), self._coins))\n",
        LEDGER,
    ),
    broken(
        "local: a value that cannot be looked at sends nothing",
        "local/client/metric.py",
        "        except Exception:\n            return self.domain.place(None)\n",
        "        except KeyError:\n            return self.domain.place(None)\n",
        LEDGER,
    ),
    broken(
        "local: a new version gives back what was spent",
        "local/client/client.py",
        "Told(page.whole.spent), days)",
        "Told(), days)",
        LEDGER,
    ),
    broken(
        "local: parameters that change back have their old noise",
        "local/client/client.py",
        "page.generation + 1",
        "page.generation",
        LEDGER,
    ),
    broken(
        "local: processes do not take turns",
        "local/client/store.py",
        "fcntl.flock(descriptor, fcntl.LOCK_EX)",
        "fcntl.flock(descriptor, fcntl.LOCK_SH)",
        STORE,
    ),
    broken(
        "local: a lost file is not counted",
        "local/client/store.py",
        "number = 1 + max(lifetimes, known, self.path.exists())",
        "number = 1",
        STORE,
    ),
    broken(
        "local: everybody may read the secret",
        "local/client/store.py",
        "os.O_EXCL | os.O_CLOEXEC, 0o600)",
        "os.O_EXCL | os.O_CLOEXEC, 0o666)",
        STORE,
    ),
]

COLLECTORS = [
    Mutant(
        "local: a replayed batch is counted twice",
        (
            ("local/collector.py", "            if name in self._batches:\n", "            if not name:\n"),
            ("local/collector.py", "        if batch in self._batches:\n", "        if not batch:\n"),
        ),
        (COLLECTOR,),
    ),
    broken(
        "local: other reports pass under a name that was used",
        "local/collector.py",
        "        if self._batches[batch] == digest:\n",
        "        if digest:\n",
        COLLECTOR,
    ),
    broken(
        "local: a checkpoint is written where it lies",
        "local/collector.py",
        "write_whole(self.path, self.collection.to_bytes())",
        "self.path.write_bytes(self.collection.to_bytes())",
        COLLECTOR,
    ),
    broken(
        "local: a damaged checkpoint is taken as it is",
        "local/collector.py",
        " or hashlib.sha256(body).digest() != check:\n",
        ":\n",
        COLLECTOR,
    ),
    broken(
        "local: a batch in two collections counts twice",
        "local/collector.py",
        "        if twice := sorted(self.batches.keys() & other.batches.keys()):\n",
        "        if twice := []:\n",
        COLLECTOR,
    ),
    broken(
        "local: reports of other metrics are counted",
        "local/counting.py",
        "        if not same.all():\n",
        "        if same.size < 0:\n",
        COUNTING,
    ),
    broken(
        "local: columns of other metrics are counted",
        "local/counting.py",
        '            (Fault.METRIC, ~_equals(columns["metric"], metric.name)),\n',
        "",
        COUNTING,
    ),
    broken(
        "local: a report with another hash of parameters is counted",
        "local/faults.py",
        "        (Fault.PARAMETERS, report.parameters != metric.parameters),\n",
        "",
        COUNTING,
    ),
]

MUTATIONS = [*CLIENTS, *COLLECTORS]
