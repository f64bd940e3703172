"""A whole page around some parts of it, in the colours of day and night."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from discreet.answers.drawing import safe
from discreet.base.errors import ParameterError

STYLE = """
:root { color-scheme: light dark; --page: #f6f8fa; --card: #ffffff; --ink: #1c2733; --soft: #5d6b7a; --grid: #e3e8ee;
  --bar: #9ecae1; --line: #08306b; --heat: #08519c; --on-heat: #ffffff; --second: #d98324; --alarm: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --page: #10151b; --card: #19212a; --ink: #e4eaf1; --soft: #9aa8b6;
  --grid: #2c3743; --bar: #356a93; --line: #d6e6f5; --heat: #6baed6; --on-heat: #0c141b; --second: #f0a95b;
  --alarm: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 26px; margin: 0 0 4px; overflow-wrap: anywhere; } h2 { font-size: 19px; margin: 38px 0 6px; }
h3 { font-size: 14px; margin: 0 0 6px; overflow-wrap: anywhere; } p { margin: 4px 0 12px; max-width: 76ch; }
.soft { color: var(--soft); } .small { font-size: 13px; } code { font-size: 92%; overflow-wrap: anywhere; }
.card { background: var(--card); border: 1px solid var(--grid); border-radius: 10px; padding: 14px 16px;
  min-width: 0; } .below { margin-top: 14px; }
.cards { display: grid; gap: 14px; grid-template-columns: repeat(auto-fill, minmax(430px, 1fr));
  align-items: start; }
.facts { display: grid; gap: 14px; grid-template-columns: repeat(auto-fill, minmax(200px, 1fr)); margin-top: 18px; }
.facts b { display: block; font-size: 22px; font-weight: 600; } .facts span { color: var(--soft); font-size: 13px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 18px; margin: 0; } dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; } .wide { overflow-x: auto; }
.wide > svg { max-width: none; }
table { border-collapse: collapse; font-size: 13px; width: 100%; } th { text-align: left; color: var(--soft);
  font-weight: 500; } th, td { padding: 4px 10px 4px 0; border-bottom: 1px solid var(--grid); vertical-align: middle; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
svg { display: block; max-width: 100%; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: var(--ink); }
svg text.soft { fill: var(--soft); } svg text.on-heat { fill: var(--on-heat); }
.alarm { border: 2px solid var(--alarm); color: var(--alarm); font-weight: 600; margin: 14px 0; }
@media (max-width: 520px) { .cards { grid-template-columns: minmax(0, 1fr); } main { padding: 18px 10px 40px; }
  .card { padding: 10px; } dl { grid-template-columns: minmax(0, 1fr); gap: 0; } dd { margin-bottom: 6px; } }
@media print { .card { break-inside: avoid; } }
"""


def wrap_page(title: str, parts: Iterable[str]) -> str:
    """Return an HTML page that needs nothing else, and that asks browsers to run and to load nothing."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"/>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
        f"<title>{safe(title)}</title><style>{STYLE}</style></head>\n<body><main>\n"
        + "\n".join(parts)
        + "\n</main></body></html>\n"
    )


def check_page(path: str | Path) -> Path:
    """Return where a page is to be written, or refuse a file that is none: also before a model is paid for."""
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise ParameterError("report", str(path), "a file that ends in .html")
    return Path(path)
