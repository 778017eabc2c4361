"""The team answers from the home of the run it belongs to."""

from pathlib import Path

import pytest

from minerva_data.core.importing.importer import Wanted, import_file
from minerva_data.core.store.store import GlossaryStore
from minerva_platform import Platform


@pytest.mark.slow
async def test_an_app_with_a_home_of_its_own_answers_from_it(
    tmp_path: Path, minerva_home: Path
) -> None:
    """`MINERVA_HOME` is another folder: what is imported there is not this run's."""
    for home, physical in ((tmp_path / "mine", "MINE_NM"), (minerva_home, "OTHER_NM")):
        file = tmp_path / "ward.csv"
        file.write_text(f"용어명,영문약어명\n병동명,{physical}\n", encoding="utf-8")
        with GlossaryStore(home / "glossary.db") as store:
            import_file(store, file, Wanted("ward"))
    app = Platform(only_team="data", home=tmp_path / "mine")

    run = await app.aask("병동명의 표준 약어를 알려줘")

    assert "MINE_NM" in run.answer
    assert "OTHER_NM" not in run.answer
