"""Records: the same team under a platform, which writes runs.jsonl."""

from asked import show
from step_4 import Standard

from minerva_observability import build_recorder
from minerva_platform import Platform
from minerva_platform.config import home_directory

home = home_directory()
platform = Platform(teams=[Standard()], recorder=build_recorder(home), home=home)


def ask(request: str) -> str:
    return platform.ask(request).answer


if __name__ == "__main__":
    with platform:
        show(ask)
