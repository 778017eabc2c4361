"""Two hosts on one database: homes that share nothing but what is configured."""

from dataclasses import dataclass
from pathlib import Path

from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.files.artifacts import ArtifactPlace, ArtifactStore, find_artifacts


@dataclass(frozen=True, slots=True)
class Host:
    """A home, the database that it shares, and where its artifacts lie."""

    home: Path
    engine: Engine
    artifacts: ArtifactPlace

    @property
    def store(self) -> ArtifactStore:
        """A store as a run has it."""
        return self.artifacts.store(self.engine)

    def options(self, thread: str = "t") -> RunOptions:
        """Return the options of a run that works here."""
        return RunOptions(
            home=self.home,
            engine=self.engine,
            thread_id=thread,
            artifacts=self.artifacts,
            contents=self.engine if self.artifacts.in_database else None,
        )

    def files(self) -> list[str]:
        """Return the names of the artifacts in this host's folder."""
        folder = self.artifacts.folder
        return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def host(engine: Engine, home: Path, files: str | None = "database") -> Host:
    """Return a host with an empty home, whose artifacts lie where `files` says."""
    home.mkdir(parents=True)
    return Host(home, engine, find_artifacts(home, files))
