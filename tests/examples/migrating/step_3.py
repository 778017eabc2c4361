"""Supervisor: the examples choose the worker, and a model where they are in doubt. No if/else."""

import os

from asked import show
from step_2 import Standard

from minerva_platform import Model
from minerva_platform.models import ModelSpec

team = Standard()
if model := os.environ.get("MINERVA_MODEL"):
    team.model = Model(ModelSpec(name=model))


def ask(request: str) -> str:
    return team.ask(request).answer


if __name__ == "__main__":
    show(ask)
