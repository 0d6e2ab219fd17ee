"""Stands in for a server of models in the demo: it answers at the paths of OpenAI, and says that it is simulated.

It has no model: it repeats what it was asked, word by word, at the speed of a small one, and counts words as
tokens. Only the standard library is used.
"""

import argparse
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "simulated"
WORD_S = 0.04
"""Between two words of an answer."""
BODY_MAX = 1024 * 1024
_NEVER = threading.Event()
ANSWER = {
    "en": "This is a simulated model without weights; it repeats what it is asked. You wrote: {asked}",
    "zh": "这 是 没有 权重 的 模拟 模型， 只 会 复述 您 的 话。 您 写 的 是： {asked}",
}


def words_of(asked: str) -> list[str]:
    """Return the answer to a message in words, in the language of the message."""
    language = "zh" if any("\u4e00" <= letter <= "\u9fff" for letter in asked) else "en"
    text = ANSWER[language].format(asked=asked.strip())
    return text.split() if language == "zh" else [f"{word} " for word in text.split()]


def last_message(asked: dict[str, Any]) -> str:
    """Return what was asked last: the prompt, or the text of the last message."""
    messages = asked.get("messages") or [{"content": asked.get("prompt", "")}]
    content = messages[-1].get("content", "") if isinstance(messages[-1], dict) else ""
    if isinstance(content, list):
        content = " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content)


class Answers(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    timeout = 75

    def do_GET(self) -> None:
        """Name the one model, and answer the probe of llama.cpp's server."""
        path = self.path.partition("?")[0]
        if path == "/health":
            self.send_document(200, {"status": "ok"})
        elif path == "/v1/models":
            self.send_document(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})
        else:
            self.refuse(404, "There is no such path.")

    def do_POST(self) -> None:
        """Answer a chat or a prompt, whole or word by word."""
        length = int(self.headers.get("Content-Length") or 0)
        if length > BODY_MAX:
            self.close_connection = True
            self.refuse(413, "The request is too large.")
            return
        body = self.rfile.read(length)
        path = self.path.partition("?")[0]
        if path not in {"/v1/chat/completions", "/v1/completions"}:
            self.refuse(404, "There is no such path.")
            return
        try:
            asked = json.loads(body)
            words = words_of(last_message(asked))
        except (ValueError, AttributeError, IndexError, TypeError):
            self.refuse(400, "The request is no such document.")
            return
        most = asked.get("max_tokens")
        words = words[:most] if isinstance(most, int) and most > 0 else words
        usage = usage_of(last_message(asked), words)
        is_chat = path == "/v1/chat/completions"
        if asked.get("stream"):
            options = asked.get("stream_options") or {}
            self.send_events(
                events_of(words, usage if options.get("include_usage") else None, is_chat=is_chat)
            )
        else:
            _NEVER.wait(WORD_S * len(words))
            choice = choice_of("".join(words).strip(), "message", is_chat=is_chat)
            choice["finish_reason"] = "stop"
            self.send_document(200, {"model": MODEL, "choices": [choice], "usage": usage})

    def refuse(self, status: int, message: str) -> None:
        """Answer with an error as OpenAI words it."""
        self.send_document(status, {"error": {"message": message, "type": "invalid_request_error"}})

    def send_document(self, status: int, document: dict[str, Any]) -> None:
        """Send a document whole."""
        body = json.dumps(document, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_events(self, events: Iterator[str]) -> None:
        """Send a stream, one event after the other."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in events:
            data = f"data: {event}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *arguments: Any) -> None:
        """Write no line for each request."""


def usage_of(asked: str, words: list[str]) -> dict[str, int]:
    """Return what was used; a word counts as a token."""
    prompt = max(1, len(asked.split()))
    return {
        "prompt_tokens": prompt,
        "completion_tokens": len(words),
        "total_tokens": prompt + len(words),
    }


def choice_of(text: str, name: str, *, is_chat: bool) -> dict[str, Any]:
    """Return an answer, or a piece of one, as a chat has it or a completion."""
    if is_chat:
        return {"index": 0, name: {"role": "assistant", "content": text}}
    return {"index": 0, "text": text}


def events_of(words: list[str], usage: dict[str, int] | None, *, is_chat: bool) -> Iterator[str]:
    """Yield the data of the events of a stream, at the speed of the model."""
    for word in words:
        _NEVER.wait(WORD_S)
        yield json.dumps({"model": MODEL, "choices": [choice_of(word, "delta", is_chat=is_chat)]})
    last = {**choice_of("", "delta", is_chat=is_chat), "finish_reason": "stop"}
    yield json.dumps({"model": MODEL, "choices": [last]})
    if usage is not None:
        yield json.dumps({"model": MODEL, "choices": [], "usage": usage})
    yield "[DONE]"


def main() -> None:
    """Serve until a signal ends the process."""
    parser = argparse.ArgumentParser(prog="simulated-model")
    parser.add_argument("--port", type=int, required=True)
    port = parser.parse_args().port
    print(f"simulated model at 127.0.0.1:{port}", flush=True)
    server = ThreadingHTTPServer(("127.0.0.1", port), Answers)
    server.daemon_threads = True
    server.serve_forever()


if __name__ == "__main__":
    main()
