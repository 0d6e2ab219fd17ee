"""Stands in for a JupyterLab in the simulated activity of the demo: it answers, and costs some megabytes.

It is called as JupyterLab is, answers what the node asks of one (its status, kernels and terminals; it has
none), and says on every other page what it is. Only `socket` is imported, so that it stays small.
"""

import socket
import sys

PAGE = """<!doctype html><meta charset="utf-8"><title>Simulated notebook</title>
<body style="font: 16px/1.5 sans-serif; max-width: 40em; margin: 4em auto; padding: 0 1em">
<h1>Simulated notebook · 模拟 Notebook</h1>
<p>A person of the demo has opened this notebook; nothing runs in it but this page, and its GPU is simulated.
Create a notebook of your own to work in JupyterLab.</p>
<p>这是演示中的人员打开的 Notebook，其中只有本页面，加速卡也是模拟的。如需使用 JupyterLab，请新建您自己的 Notebook。</p>
"""
REQUEST_MAX = 16 * 1024
PATIENCE_S = 2.0


def read_option(arguments: list[str], name: str, default: str) -> str:
    """Return the value of `--ServerApp.name=value`."""
    start = f"--ServerApp.{name}="
    return next((text[len(start) :] for text in arguments if text.startswith(start)), default)


def answer(path: str, base: str) -> tuple[str, str]:
    """Return the media type and the body for a path below the base."""
    asked = "/" + path.partition("?")[0].removeprefix(base)
    if asked == "/api/status":
        return "application/json", '{"connections": 0, "kernels": 0}'
    if asked in {"/api/kernels", "/api/terminals"}:
        return "application/json", "[]"
    return "text/html; charset=utf-8", PAGE


def serve(connection: socket.socket, base: str) -> None:
    """Answer one request; one that does not come is not waited for."""
    connection.settimeout(PATIENCE_S)
    request = b""
    while b"\r\n\r\n" not in request and len(request) < REQUEST_MAX:
        part = connection.recv(4096)
        if not part:
            return
        request += part
    words = request.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
    media, text = answer(words[1] if len(words) > 1 else "/", base)
    body = text.encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nContent-Length: {len(body)}\r\n"
    connection.sendall(f"{head}Connection: close\r\n\r\n".encode() + body)


def main(arguments: list[str]) -> None:
    """Serve one connection after the other until a signal ends the process."""
    base = read_option(arguments, "base_url", "/")
    address = read_option(arguments, "ip", "127.0.0.1"), int(read_option(arguments, "port", "8888"))
    with socket.create_server(address, backlog=16) as server:
        print(f"simulated notebook at {address[0]}:{address[1]}{base}", flush=True)
        while True:
            connection, _ = server.accept()
            with connection:
                try:
                    serve(connection, base)
                except OSError:
                    continue


if __name__ == "__main__":
    main(sys.argv[1:])
