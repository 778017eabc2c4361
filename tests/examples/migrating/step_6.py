"""Hierarchy: the platform leads two teams, each installed by itself."""

from asked import show

from minerva_platform import Platform

platform = Platform.from_config()


def ask(request: str) -> str:
    return platform.ask(request).answer


if __name__ == "__main__":
    with platform:
        show(ask)
