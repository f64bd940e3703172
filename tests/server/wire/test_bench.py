"""The bench: whoever stops waiting keeps the turn until the work is done."""

from __future__ import annotations

import asyncio
import threading

from discreet.server.wire.bench import WireBench


def test_a_turn_ends_with_the_work_and_not_with_who_waits_for_it() -> None:
    going_on, begun = threading.Event(), [threading.Event() for _ in range(2)]

    async def run() -> None:
        bench = WireBench(threads=2, of_each=1)

        def work(place: int) -> int:
            begun[place].set()
            going_on.wait(20)
            return place

        first = asyncio.create_task(bench.work("alice", lambda: work(0)))
        await asyncio.to_thread(begun[0].wait, 20)
        first.cancel()
        second = asyncio.create_task(bench.work("alice", lambda: work(1)))
        assert await asyncio.wait_for(bench.work("bob", lambda: "bob"), 5) == "bob"
        await asyncio.sleep(0.1)
        assert not begun[1].is_set()
        going_on.set()
        assert await second == 1
        await bench.close()

    asyncio.run(run())
