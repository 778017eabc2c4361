"""Where the configuration is looked for, and what it may say."""

from pathlib import Path

import pytest

from minerva_platform import RunLimits, SettingsError, Team
from minerva_platform.assembly.assemble import Defaults, assemble
from minerva_platform.config.settings import (
    PlatformSettings,
    TeamSettings,
    cache_directory,
    find_settings,
    home_directory,
)
from minerva_platform.testing import StubAgent


def configs(folder: Path, seconds: float) -> Path:
    """Make a folder of configuration that can be told by its seconds."""
    folder.mkdir(parents=True)
    text = f"limits:\n  seconds: {seconds}\n"
    (folder / "platform.yaml").write_text(text, encoding="utf-8")
    return folder


def test_the_folder_that_is_named_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--config`, then MINERVA_CONFIG, then ./configs, then the defaults."""
    monkeypatch.chdir(tmp_path)
    assert find_settings().platform == PlatformSettings()

    configs(tmp_path / "configs", 3)
    assert find_settings().platform.limits.seconds == 3

    monkeypatch.setenv("MINERVA_CONFIG", str(configs(tmp_path / "by_variable", 2)))
    assert find_settings().platform.limits.seconds == 2

    assert find_settings(configs(tmp_path / "by_option", 1)).platform.limits.seconds == 1


def test_a_folder_that_is_named_must_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file, or nothing, is refused with who named it."""
    file = configs(tmp_path / "configs", 1) / "platform.yaml"

    with pytest.raises(SettingsError, match=r"--config names .*not a folder"):
        find_settings(file)
    monkeypatch.setenv("MINERVA_CONFIG", str(tmp_path / "nowhere"))
    with pytest.raises(SettingsError, match=r"MINERVA_CONFIG names .*not a folder"):
        find_settings()


def test_limits_reach_the_run_as_they_are_written(tmp_path: Path) -> None:
    """Each key is a limit; zero seconds make no sense and are refused."""
    folder = configs(tmp_path / "configs", 1)
    file = folder / "platform.yaml"
    file.write_text("limits: {hops: 4, seconds: 2.5, tokens: 9, concurrency: 1}", encoding="utf-8")

    limits = find_settings(folder).platform.limits.to_limits()

    assert limits == RunLimits(hops=4, seconds=2.5, tokens=9, concurrency=1)
    file.write_text("limits:\n  seconds: 0\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"platform\.yaml:2: `limits\.seconds`"):
        _ = find_settings(folder).platform


def test_the_size_of_a_file_of_records_is_at_least_a_mebibyte(tmp_path: Path) -> None:
    """Less would leave a file for every few runs."""
    folder = configs(tmp_path / "configs", 1)

    assert find_settings(folder).platform.segment_bytes == 256 * 1024 * 1024
    (folder / "platform.yaml").write_text("\nruns_file_mib: 0\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"platform\.yaml:2: `runs_file_mib`: .* 1"):
        _ = find_settings(folder).platform


def test_a_team_reads_its_own_file(tmp_path: Path) -> None:
    """Timeouts and substitutes by member; what is said in code stays unless it is said again."""
    folder = configs(tmp_path / "configs", 1)
    (folder / "teams").mkdir()
    text = "timeouts: {a: 2.5}\nsubstitutes: {a: b}\n"
    (folder / "teams" / "t.yaml").write_text(text, encoding="utf-8")
    members = (StubAgent("a"), StubAgent("b"), StubAgent("c"))
    team = Team(name="t", description="…", members=members, substitutes={"c": "b"})

    configured = assemble(team, Defaults(find_settings(folder).team("t", TeamSettings)))

    assert [agent.timeout for agent in configured.agents] == [2.5, None, None]
    assert (members[0].timeout, team.substitutes) == (None, {"c": "b"})
    assert configured.substitutes == {"a": "b", "c": "b"}
    assert find_settings(folder).team("other", TeamSettings) == TeamSettings()


class PairTeam(Team):
    """Makes a member for each timeout that its settings name."""

    name, description = "pair", "…"
    members = (StubAgent("a"),)

    def build_members(self, settings: TeamSettings) -> tuple[StubAgent, ...]:
        """Return the members that have a timeout."""
        return tuple(StubAgent(name) for name in settings.timeouts)


def test_a_team_makes_its_members_from_settings() -> None:
    """Each time it is configured."""
    team = PairTeam()
    for names in (["a", "b"], ["b", "c"]):
        configured = assemble(team, Defaults(TeamSettings(timeouts=dict.fromkeys(names, 2.5))))

        assert list(configured.by_name) == names
        assert {member.timeout for member in configured.agents} == {2.5}


def test_members_given_in_code_stay() -> None:
    """Settings apply to them, and make no others in their place."""
    mine = StubAgent("mine")
    team = PairTeam(members=(mine,))
    configured = assemble(team, Defaults(TeamSettings(timeouts={"mine": 2.5})))

    assert team.assembled.agents == (mine,)
    assert [(agent.name, agent.timeout) for agent in configured.agents] == [("mine", 2.5)]
    assert mine.timeout is None


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (TeamSettings(timeouts={"x": 1}), "`timeouts` names `x`; the members are a, b"),
        (TeamSettings(substitutes={"a": "x"}), "`substitutes` names `x`"),
        (TeamSettings(substitutes={"x": "a"}), "`substitutes` names `x`"),
    ],
)
def test_a_file_that_names_nobody_is_refused(settings: TeamSettings, words: str) -> None:
    """With the file and the members there are."""
    team = Team(name="t", description="…", members=(StubAgent("a"), StubAgent("b")))

    with pytest.raises(SettingsError, match=words) as caught:
        assemble(team, Defaults(settings))

    assert "configs/teams/t.yaml" in str(caught.value)


def test_a_run_keeps_its_files_in_minerva_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else in the working directory."""
    monkeypatch.setenv("MINERVA_HOME", "/somewhere")
    assert home_directory() == Path("/somewhere")

    monkeypatch.delenv("MINERVA_HOME")
    assert home_directory() == Path(".minerva")


def test_a_user_without_a_home_has_a_cache_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service's user may have none; the folder of runs serves then."""

    def nowhere() -> Path:
        message = "Could not determine home directory."
        raise RuntimeError(message)

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", nowhere)

    assert cache_directory() == home_directory() / "cache"


class Gardeners(Team):
    """A team that gives examples of its own instead of its members'."""

    name = "gardeners"
    description = "Gardens."
    examples = ("green fingers",)  # pyright: ignore[reportAssignmentType]  # instead of what is derived
    members = (StubAgent("rose"), StubAgent("oak"))


def test_configured_requests_are_learned_beside_the_declared_ones() -> None:
    """By the member and by its team's card; the declaration knows nothing of it."""
    settings = TeamSettings.model_validate(
        {"examples": {"rose": [" prune it ", "feed it"]}, "declines": ["paint it"]}
    )
    derived = Team(name="yard", description="d", members=[StubAgent("rose"), StubAgent("oak")])
    for team in (derived, Gardeners()):
        before = team.assembled.card, team.assembled.by_name["rose"].card
        configured = assemble(team, Defaults(settings))
        rose, oak = (configured.by_name[name].card for name in ("rose", "oak"))

        assert rose.examples == (*before[1].examples, "prune it", "feed it")
        assert "prune it" not in oak.examples
        assert (rose.declines, oak.declines) == (("paint it",), ("paint it",))
        assert set(configured.card.examples) == {*before[0].examples, "prune it", "feed it"}
        assert "paint it" in configured.card.declines


def test_a_configured_request_of_no_member_is_refused() -> None:
    """With the members that there are; empty text is no request."""
    team = Team(name="yard", description="d", members=[StubAgent("rose")])
    with pytest.raises(SettingsError, match="`examples` names `roze`; the members are rose"):
        assemble(team, Defaults(TeamSettings(examples={"roze": ("prune it",)})))
    with pytest.raises(ValueError, match="at least 1 character"):
        TeamSettings(declines=(" ",))
