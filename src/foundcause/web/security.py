"""Checks of every request before a route sees it: Host, Origin, token, size and speed of the body. Response headers."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import secrets
import socket
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, quote, unquote

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foundcause.web.limits import Settings, is_loopback

_TOO_LARGE = 413
_READ_ON_BYTES, _READ_ON_SECONDS, _SILENT_SECONDS = 256 << 20, 10.0, 1.0
TOKEN_COOKIE = "foundcause_token"
UPLOAD_PATH = "/api/tables"

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "cache-control": "no-store",
}


class RefusalError(Exception):
    """A request that goes no further."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail


class Gatekeeper:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app, self.settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        limit = self._body_limit(scope)
        body = _Body(receive, limit, self._body_deadline(limit))
        started = False

        async def guarded(message: Message) -> None:
            nonlocal started
            if body.refusal is not None and not started:
                return  # the answer of the route does not matter
            if message["type"] == "http.response.start":
                started = True
                own = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    own.setdefault(name, value)
            await send(message)

        try:
            check_host(headers.getlist("host"), self.settings)
            check_origin(headers, scope["method"], scope["path"])
            new_token = self._check_token(scope, headers)
            _check_length(headers.get("content-length"), limit)
            out = _with_cookie(guarded, cookie_name(TOKEN_COOKIE, scope), new_token) if new_token else guarded
            await self.app(scope, body.receive, out)
            refusal = body.refusal
        except RefusalError as error:
            refusal = error
        if refusal is not None and not started:
            if refusal.status == _TOO_LARGE:
                await _read_on(receive)
            body.refusal = None
            await _refuse(guarded, refusal)

    def _check_token(self, scope: Scope, headers: Headers) -> str | None:
        """None if the request carries the token or needs none, the token if it came in the address."""
        token = self.settings.token
        if token is None:
            return None
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and _same(bearer.strip(), token):
            return None
        if _same(_cookie(headers, cookie_name(TOKEN_COOKIE, scope)), token):
            return None
        if scope["path"] == "/":
            given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
            if _same(given, token):
                return token
        raise RefusalError(
            401, "open the address that `foundcause serve` printed: it holds the token this server asks for"
        )

    def _body_limit(self, scope: Scope) -> int:
        upload = scope["method"] == "POST" and scope["path"] == UPLOAD_PATH
        return self.settings.limits.upload_bytes if upload else self.settings.limits.body_bytes

    def _body_deadline(self, limit: int) -> float:
        """When the whole body must have arrived. The clock is that of the event loop."""
        limits = self.settings.limits
        seconds = limits.upload_seconds if limit == limits.upload_bytes else limits.body_seconds
        return asyncio.get_running_loop().time() + seconds


def cookie_name(base: str, scope: Scope) -> str:
    """Name a cookie by the port, because cookies are shared by all ports of a host."""
    return f"{base}_{(scope.get('server') or ('', 0))[1]}"


def check_host(values: list[str], settings: Settings) -> None:
    """Refuse foreign host names. Pages of other sites attack local servers by names that resolve to this machine."""
    name = _host_name(values[0]) if len(values) == 1 else ""
    own = {"localhost", *(host.lower() for host in settings.extra_hosts)}
    if name in own or is_loopback(name):
        return
    if not is_loopback(settings.host):
        own |= {settings.host.lower(), socket.gethostname().lower()}
        # A bare address cannot be rebound to another machine, so it is as good as a name we know.
        if name in own or _is_address(name):
            return
    raise RefusalError(
        421, f"this server does not answer to the name {name[:80]!r}. Start it with --allow-host to add it."
    )


def check_origin(headers: Headers, method: str, path: str) -> None:
    """Refuse requests of other sites' pages."""
    origin = headers.get("origin")
    if origin is not None:
        host = headers.get("host", "")
        if origin.lower() not in (f"http://{host}".lower(), f"https://{host}".lower()):
            raise RefusalError(403, "requests from pages of other sites are refused")
        return
    foreign = headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
    # A link on another site may open the page, but nothing else.
    if foreign and (method not in ("GET", "HEAD") or path != "/"):
        raise RefusalError(403, "requests from pages of other sites are refused")


def _host_name(value: str) -> str:
    value = value.strip().lower()
    if value.startswith("["):
        address, closed, rest = value[1:].partition("]")
        return address if closed and (rest == "" or (rest[0] == ":" and rest[1:].isdigit())) else ""
    return value.rpartition(":")[0] if value.count(":") == 1 else value


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _same(given: str, secret: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "replace"), secret.encode())


def _cookie(headers: Headers, name: str) -> str:
    try:
        jar = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return ""
    return unquote(jar[name].value) if name in jar else ""


def _with_cookie(send: Send, name: str, token: str) -> Send:
    async def setting(message: Message) -> None:
        if message["type"] == "http.response.start":
            cookie = f"{name}={quote(token, safe='')}; Path=/; HttpOnly; SameSite=Strict"
            MutableHeaders(scope=message).append("set-cookie", cookie)
        await send(message)

    return setting


def _check_length(declared: str | None, limit: int) -> None:
    if declared is None:
        return
    if not declared.isascii() or not declared.isdigit():
        raise RefusalError(400, "the Content-Length header is not a number")
    if int(declared) > limit:
        raise _too_large(limit)


class _Body:
    """Counts the body of a request, because a Content-Length may be missing, and ends one that trickles in."""

    def __init__(self, receive: Receive, limit: int, deadline: float) -> None:
        self._receive, self._limit, self._deadline = receive, limit, deadline
        self._total, self._complete = 0, False
        self.refusal: RefusalError | None = None

    async def receive(self) -> Message:
        if self._complete:  # what comes now is no body: the end of the connection, perhaps much later
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            self.refusal = RefusalError(408, "the body of the request took too long")
            raise self.refusal from None
        self._total += len(message.get("body", b""))
        if self._total > self._limit:
            self.refusal = _too_large(self._limit)
            raise self.refusal
        self._complete = not message.get("more_body", False)
        return message


def _too_large(limit: int) -> RefusalError:
    size = f"{limit / (1 << 20):.0f} MB" if limit >= 1 << 20 else f"{limit:,} bytes"
    return RefusalError(_TOO_LARGE, f"this is more than the {size} that this server takes. Send fewer rows or columns.")


async def _read_on(receive: Receive) -> None:
    """Take in more of a refused body, as long as the client goes on sending it."""
    left = _READ_ON_BYTES
    with suppress(TimeoutError):
        async with asyncio.timeout(_READ_ON_SECONDS):
            while left > 0:
                async with asyncio.timeout(_SILENT_SECONDS):
                    message = await receive()
                if not message.get("more_body"):
                    return
                left -= len(message.get("body", b""))


async def _refuse(send: Send, refusal: RefusalError) -> None:
    body = json.dumps({"detail": refusal.detail}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers.append((b"connection", b"close"))  # the rest of a refused body is not read
    if refusal.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
