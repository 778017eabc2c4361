"""The page that asks for the token. It is plain HTML, because it loads nothing else."""

from typing import Final

from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from minerva_observability.dashboard.widgets.markup import tag

_STYLE: Final = Markup("""
:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:Canvas;color:CanvasText}
form{display:grid;gap:12px;width:min(340px,88vw)}
h1{font-size:18px;margin:0} p{margin:0;opacity:.75}
input,button{font:inherit;padding:9px 12px;border-radius:7px;border:1px solid #8886}
button{background:#2f62cf;color:#fff;border-color:#2f62cf;cursor:pointer}
:focus-visible{outline:2px solid #6f9bff;outline-offset:2px}
""")


def entrance_page(action: str, code: int) -> Response:
    """Return a page, with status `code`, whose form posts a token to `action`."""
    form = tag(
        "form",
        tag("h1", "MINERVA dashboard"),
        tag("p", "Enter the token of this dashboard."),
        tag(
            "label",
            "Token ",
            tag("input", type="password", name="token", autocomplete="off", required=True),
        ),
        tag("button", "Open"),
        method="post",
        action=action,
    )
    head = tag(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", "MINERVA dashboard"),
        tag("style", _STYLE),
    )
    page = tag("html", head, tag("body", tag("main", form)), lang="en")
    return HTMLResponse(f"<!doctype html>{page}", code, headers={"Cache-Control": "no-store"})
