"""Questions that arrive one by one: answered from earlier releases, or from a noisy histogram that is bought once.

Loading this lets every curator whose policy has `[tables.T.online]` answer so.
"""

from __future__ import annotations

from collections.abc import Sequence

from discreet.curator.asking.routes import Route, register_routes
from discreet.policy.model import Policy


def make_online_routes(policy: Policy) -> Sequence[Route]:
    """Return the route, where a table of the policy asks for it."""
    if all(table.online is None for table in policy.tables):
        return ()
    from discreet.synthetic.online.route import OnlineRoute

    return (OnlineRoute(policy),)


register_routes("online", make_online_routes)
