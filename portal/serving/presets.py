"""Servers of models that a service can run as they are; pure.

A preset knows what differs between servers: how one is started on a port, which path answers once the model is
loaded, where its metrics are, how long its answers take at most, and what must not be left to its defaults.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

PORT: Final = "{port}"
"""In a command: the port on which the server must listen, at 127.0.0.1."""
MODEL: Final = "{model}"
"""In a command: the model that the service names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServicePreset:
    """What of a server is known whatever its model is."""

    name: str
    title: str
    """The same in all languages: a name of its own."""
    about_en: str
    about_zh: str
    command: tuple[str, ...] = ()
    """Empty where the service brings its own."""
    readiness_path: str
    """Answers 2xx once requests can be answered, not before."""
    metrics_path: str = ""
    """Where Prometheus would read it; empty is nowhere."""
    waiting_metric: str = ""
    """Its own count of requests that wait inside it."""
    speaks_openai: bool = False
    """Its paths are those of OpenAI: tokens are counted, and usage in streams is forced."""
    open_requests: int = 8
    """How many requests a replica is believed to answer at a time."""
    drain_s: int = 60
    """How long an answer may take that is not to be cut."""
    start_deadline_s: int = 600
    """How long the load of a model may take."""

    @property
    def needs_model(self) -> bool:
        """Return whether its command names a model."""
        return any(MODEL in argument for argument in self.command)


VLLM: Final = ServicePreset(
    name="vllm",
    title="vLLM",
    about_en="Language models with continuous batching, at the paths of OpenAI.",
    about_zh="以连续批处理提供大语言模型推理，接口与 OpenAI 兼容。",
    command=("vllm", "serve", MODEL, "--host=127.0.0.1", f"--port={PORT}"),
    readiness_path="/health",
    metrics_path="/metrics",
    waiting_metric="vllm:num_requests_waiting",
    speaks_openai=True,
    open_requests=32,
    drain_s=600,
    start_deadline_s=1800,
)
SGLANG: Final = ServicePreset(
    name="sglang",
    title="SGLang",
    about_en="Language models with shared prefixes, at the paths of OpenAI.",
    about_zh="复用公共前缀的大语言模型推理，接口与 OpenAI 兼容。",
    command=(
        *("python3", "-m", "sglang.launch_server", f"--model-path={MODEL}"),
        *("--host=127.0.0.1", f"--port={PORT}", "--enable-metrics"),
    ),
    readiness_path="/health",
    metrics_path="/metrics",
    waiting_metric="sglang:num_queue_reqs",
    speaks_openai=True,
    open_requests=32,
    drain_s=600,
    start_deadline_s=1800,
)
LLAMA_CPP: Final = ServicePreset(
    name="llama-cpp",
    title="llama.cpp",
    about_en="Models in GGUF, also without a GPU, at the paths of OpenAI.",
    about_zh="运行 GGUF 模型，不用加速卡也可以，接口与 OpenAI 兼容。",
    command=(
        # Its own server, not that of llama-cpp-python: that one cuts the stream that runs when a second
        # request comes, or answers one at a time, and tells no tokens of streams.
        *("llama-server", "--model", MODEL, "--host", "127.0.0.1", "--port", PORT),
        *("--parallel", "4", "--metrics"),
    ),
    readiness_path="/health",
    metrics_path="/metrics",
    waiting_metric="llamacpp:requests_deferred",
    speaks_openai=True,
    open_requests=4,
    drain_s=600,
)
TRITON: Final = ServicePreset(
    name="triton",
    title="Triton",
    about_en="A repository of models of several frameworks, by NVIDIA's inference server.",
    about_zh="用 NVIDIA 推理服务器提供多种框架的模型仓库。",
    command=(
        *("tritonserver", f"--model-repository={MODEL}", "--http-address=127.0.0.1"),
        # Its metrics would have a port of their own, which replicas on one network cannot share; answers that run have 30 s when it must stop.
        *(f"--http-port={PORT}", "--allow-grpc=false", "--allow-metrics=false"),
        "--exit-timeout-secs=30",
    ),
    readiness_path="/v2/health/ready",
)
LITSERVE: Final = ServicePreset(
    name="litserve",
    title="LitServe",
    about_en="A server of your own in Python, with batching by LitServe.",
    about_zh="用 LitServe 批处理的自定义 Python 服务。",
    readiness_path="/health",
)
HTTP: Final = ServicePreset(
    name="http",
    title="HTTP",
    about_en="Any program that answers HTTP on a port.",
    about_zh="任何在端口上应答 HTTP 的程序。",
    readiness_path="/",
)
SERVICE_PRESETS: Final[Mapping[str, ServicePreset]] = {
    preset.name: preset for preset in (VLLM, SGLANG, LLAMA_CPP, TRITON, LITSERVE, HTTP)
}


def render_command(
    preset: ServicePreset, own: Sequence[str], *, model: str, arguments: Sequence[str], port: int
) -> list[str]:
    """Return what a replica runs: the service's own command, or the preset's, with these arguments behind it."""
    return [
        part.replace(PORT, str(port)).replace(MODEL, model)
        for part in (*(own or preset.command), *arguments)
    ]
