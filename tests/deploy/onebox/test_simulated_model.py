"""The server of the demo's seeded service, as its node starts it: it speaks as servers of models do."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from deploy.onebox.nodes import list_nodes, write_config
from deploy.onebox.options import find_free_port, parse_options
from nodeagent.config import load_config
from portal.demo import examples
from portal.demo.organisation import build_model_image
from portal.serving.presets import LLAMA_CPP, render_command
from tests.waiting import wait_until_async

CHAT = "/v1/chat/completions"


@pytest.fixture
def origin(tmp_path: Path) -> Iterator[str]:
    """Run it by the command of the seeded service, from what stands for its image on a node."""
    options = parse_options(["--data-dir", str(tmp_path)])
    node = list_nodes(options)[-1]
    write_config(node, options, None, "")
    prefix = load_config(node.config).process_images[build_model_image().reference]
    assert (prefix / "bin" / "python").exists()
    port, own = find_free_port(), examples.SERVICE["command"]
    program, *arguments = render_command(LLAMA_CPP, own, model="", arguments=(), port=port)
    argv = [str(prefix / "bin" / program), *arguments]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL) as process:
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


async def is_ready(client: aiohttp.ClientSession, origin: str) -> bool:
    try:
        async with client.get(f"{origin}{LLAMA_CPP.readiness_path}") as answer:
            return answer.status == 200
    except aiohttp.ClientError:
        return False


def asked(message: str, **more: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": message}], **more}


async def test_it_answers_whole_and_word_by_word_and_counts_the_same(origin: str) -> None:
    async with aiohttp.ClientSession() as client:
        await wait_until_async(lambda: is_ready(client, origin))
        async with client.post(f"{origin}{CHAT}", json=asked("Hello there")) as answer:
            whole = await answer.json()
        text = whole["choices"][0]["message"]["content"]
        assert text.startswith("This is a simulated model")
        assert text.endswith("You wrote: Hello there")

        options = {"stream": True, "stream_options": {"include_usage": True}}
        async with client.post(f"{origin}{CHAT}", json=asked("Hello there", **options)) as answer:
            lines = (await answer.text()).split("\n\n")
        data = [line.removeprefix("data: ") for line in lines if line]
        assert data[-1] == "[DONE]"
        *pieces, usage = [json.loads(each) for each in data[:-1]]
        words = [each["choices"][0]["delta"]["content"] for each in pieces]
        assert "".join(words).strip() == text
        assert usage["usage"] == whole["usage"]
        assert usage["usage"]["completion_tokens"] == len(words) - 1


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/v1/embeddings", b"{}", 404),
        (CHAT, b"no document", 400),
        (CHAT, b"[]", 400),
        (CHAT, b'{"messages": [], "prompt": 3}', 200),
    ],
)
async def test_what_it_does_not_know_is_refused_as_servers_of_models_do(
    origin: str, path: str, body: bytes, status: int
) -> None:
    async with aiohttp.ClientSession() as client:
        await wait_until_async(lambda: is_ready(client, origin))
        async with client.post(f"{origin}{path}", data=body) as answer:
            assert answer.status == status
            assert ("error" in await answer.json()) is (status != 200)


async def test_it_answers_chinese_in_chinese(origin: str) -> None:
    async with aiohttp.ClientSession() as client:
        await wait_until_async(lambda: is_ready(client, origin))
        async with client.post(f"{origin}{CHAT}", json=asked("你好", max_tokens=500)) as answer:
            whole = await answer.json()
    assert "模拟模型" in whole["choices"][0]["message"]["content"]
