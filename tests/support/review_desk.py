"""A team with a member in the background, which is held until a test lets it go.

It is found by its entry point, as an installed team: `installed_desk` makes the folder.
"""

import time
from pathlib import Path

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Team
from minerva_platform.config import home_directory


def held(word: str) -> Path:
    """Return the file that holds the review of what is called so."""
    return home_directory() / f"hold-{word}"


def note(line: str) -> None:
    """Write down what was done."""
    with (home_directory() / "desk-log").open("a", encoding="utf-8") as log:
        log.write(line + "\n")


class Reviewer(BaseAgent[AgentInput, AgentOutput]):
    """Reviews while nobody holds it."""

    name = "review_agent"
    description = "Reviews contracts for risks. 계약서를 검토한다."
    examples = (
        "review contract A",
        "please review the contract B",
        "check contract C for risks",
        "look through this contract for me",
        "have contract D reviewed",
        "계약서 A 검토해줘",
        "계약서 B 좀 검토해 주세요",
        "이 계약서에 위험이 있는지 봐줘",
        "계약 C 검토 부탁해",
        "계약서 D 검토",
    )
    background = True

    def work(self, given: AgentInput) -> AgentOutput:
        """Review, once nobody holds it."""
        word = given.request.split()[-1] if given.language == "en" else given.request.split()[1]
        note(f"began {word}")
        while held(word).exists():
            time.sleep(0.01)
        note(f"reviewed {word}")
        return AgentOutput(summary=f"Contract {word} has no risk.")


class Counter(BaseAgent[AgentInput, AgentOutput]):
    """Counts at once."""

    name = "count_agent"
    description = "Counts the clauses of a contract. 조항 수를 센다."
    examples = (
        "count the clauses",
        "how many clauses are there",
        "the number of clauses, please",
        "tell me how many clauses it has",
        "clause count",
        "조항 수를 세어줘",
        "조항이 몇 개야?",
        "조항 개수 알려줘",
        "몇 개의 조항이 있나요",
        "조항을 세어 주세요",
    )

    def work(self, given: AgentInput) -> AgentOutput:
        """Count."""
        del given
        return AgentOutput(summary="12 clauses")


class DeskTeam(Team):
    """Has contracts reviewed and counted."""

    name = "desk"
    description = "Has contracts reviewed and their clauses counted."
    members = (Reviewer, Counter)


def installed_desk(folder: Path) -> Path:
    """Make a folder in which the team is installed: this module beside its metadata."""
    folder.mkdir()
    (folder / "review_desk.py").write_bytes(Path(__file__).read_bytes())
    metadata = folder / "review_desk-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: review-desk\nVersion: 1.0\n")
    entry = "[minerva.teams]\ndesk = review_desk:DeskTeam\n"
    (metadata / "entry_points.txt").write_text(entry)
    return folder
