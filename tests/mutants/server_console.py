"""The rules of the console and of what owners alone may do, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

MARKUP, PAGES = "tests/server/console/test_markup.py", "tests/server/console/test_pages.py"
OWNING, CHARTS = "tests/server/console/test_owning.py", "tests/server/console/test_charts.py"
CONSOLE = "server/console"

MUTATIONS = [
    broken(
        "console: the door lets analysts do what owners do",
        "server/door.py",
        "if visit.role is not Role.OWNER:",
        "if False:",
        OWNING,
    ),
    broken(
        "console: workers do for analysts what is for owners",
        "server/workers/worker.py",
        "if call.method not in (OWNER_CALLS if call.owner else CALLS):",
        "if call.method not in (OWNER_CALLS | CALLS) and not hasattr(clerk, call.method):",
        "tests/server/workers/test_worker.py",
    ),
    broken(
        "console: pages do not ask for a role",
        f"{CONSOLE}/handling.py",
        "if visit.role is not role:",
        "if False:",
        PAGES,
    ),
    broken(
        "console: texts are not escaped",
        f"{CONSOLE}/markup.py",
        'return escape(_HIDDEN.sub(lambda found: f"\\\\u{ord(found[0]):04x}", text), quote=True)',
        "return text",
        MARKUP,
    ),
    broken(
        "console: quotes in attributes are not escaped",
        f"{CONSOLE}/markup.py",
        "text), quote=True)",
        "text), quote=False)",
        MARKUP,
    ),
    broken(
        "console: letters that turn others around are shown as they are",
        f"{CONSOLE}/markup.py",
        "escape(_HIDDEN.sub(",
        'escape(re.compile(r"(?!)").sub(',
        MARKUP,
    ),
    broken(
        "console: links lead anywhere",
        f"{CONSOLE}/markup.py",
        "if plain in ADDRESSES and not _ADDRESS.fullmatch(text):",
        "if False:",
        MARKUP,
    ),
    broken(
        "console: handlers and styles are allowed",
        f"{CONSOLE}/markup.py",
        'or plain == "style" or plain.startswith(("on", "hx-on", "hx-vals"))',
        "",
        MARKUP,
    ),
    broken(
        "console: all analysts share one shelf",
        f"{CONSOLE}/shelf.py",
        "return self._kept.get(analyst, OrderedDict()).get(name)",
        "return next((own[name] for own in self._kept.values() if name in own), None)",
        PAGES,
    ),
    broken(
        "console: cookies are sent from pages of others",
        f"{CONSOLE}/routes.py",
        '"samesite": "strict", "secure": tls',
        '"samesite": "lax", "secure": tls',
        PAGES,
    ),
    broken(
        "console: scripts read the cookie",
        f"{CONSOLE}/routes.py",
        '"httponly": True, "samesite"',
        '"httponly": False, "samesite"',
        PAGES,
    ),
    broken(
        "console: a link logs out",
        f"{CONSOLE}/routes.py",
        'Route("/logout", log_out, methods=["POST"])',
        'Route("/logout", log_out, methods=["GET", "POST"])',
        PAGES,
    ),
    broken(
        "console: files are made by asking again",
        f"{CONSOLE}/analyst_paths.py",
        "        if answer is None or ending not in FORMATS:",
        "        if answer is not None:\n"
        '            answer = to_answer(await visit.ask(Asked(answer.question, "0.003")))\n'
        "        if answer is None or ending not in FORMATS:",
        PAGES,
    ),
    broken(
        "console: a form asks for new noise under no key of its own",
        f"{CONSOLE}/analyst_paths.py",
        'key=(told["key"] or None) if fresh else None',
        "key=str(id(fields)) if fresh else None",
        PAGES,
    ),
    broken(
        "console: what owners look at is not written down",
        f"{CONSOLE}/owner_paths.py",
        '    await visit.door.log.note("failures shown", visit.analyst, where=visit.where, count=len(failures))\n',
        "",
        PAGES,
    ),
    broken(
        "console: an owner's decision is not written down",
        f"{CONSOLE}/owner_paths.py",
        '    await visit.door.log.note("resume", visit.analyst, analyst=analyst, where=visit.where)\n',
        "",
        OWNING,
    ),
    broken(
        "console: answers of others count for the total",
        "server/workers/owner_clerk.py",
        '*([""] if entry.kind == CHARGE else [])',
        '""',
        "tests/server/workers/test_owner_clerk.py",
    ),
    broken(
        "console: previews tell what another paid for",
        "curator/telling.py",
        "return None  # whether others asked is not told",
        "pass",
        PAGES,
    ),
    broken(
        "console: intervals are not drawn",
        f"{CONSOLE}/bars.py",
        "    if bar.pair is not None:\n",
        "    if False:\n",
        CHARTS,
    ),
    broken(
        "console: scales leave out the ends of intervals",
        f"{CONSOLE}/lines.py",
        "for end in (point.value, *(point.pair or ())))",
        "for end in (point.value,))",
        CHARTS,
    ),
]
