"""Settings from configuration files, and the folder in which a run keeps its files.

Looked for in this order: `--config`, `MINERVA_CONFIG`, `./configs`, then the defaults here.
An unknown key is an error that names file and line.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, TypeVar, cast, get_args
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    StringConstraints,
    field_validator,
    model_validator,
)

from minerva_platform.config.limits import RunLimits, Section
from minerva_platform.config.mcp_spec import McpServerSpec, ServerName
from minerva_platform.config.model_spec import ModelSpec
from minerva_platform.config.router_spec import (
    RouterName,
    RouterOptions,
    Tools,
    ToolSpec,
    read_options,
)
from minerva_platform.config.setting_values import Age, checked_origin, name_of
from minerva_platform.config.team_file import checked_entry
from minerva_platform.errors import SettingsError
from minerva_platform.text.yaml_file import KeysOf, parse_yaml, read_yaml, yaml_text

SettingsT = TypeVar("SettingsT", bound=BaseModel)

CONFIG_VARIABLE = "MINERVA_CONFIG"
HOME_VARIABLE = "MINERVA_HOME"
PLATFORM_FILE: Final = "platform.yaml"

IN_DATABASE: Final = "database"
"""What `storage.files` says if artifacts are kept in the database."""


class LimitSettings(Section):
    """The limits of a run. A missing key keeps its default."""

    hops: int | None = Field(default=None, ge=1)
    seconds: float = Field(default=300.0, gt=0)
    model_calls: int = Field(default=50, ge=0)
    tokens: int | None = Field(default=None, ge=1)
    concurrency: int = Field(default=8, ge=1)

    def to_limits(self) -> RunLimits:
        """Return the limits in the form that a run uses."""
        return RunLimits(**self.model_dump())


def _read_router(value: object) -> "RouterName | ToolSpec | None":
    if value is None or isinstance(value, Tools):
        return value
    if isinstance(value, dict):
        return read_options(cast("dict[str, Any]", value))
    known: dict[object, RouterName] = {name: name for name in get_args(RouterName)}
    if not isinstance(value, str) or value not in known:
        message = f"there is no router {value!r}; there are {', '.join(get_args(RouterName))}"
        raise ValueError(message)
    return known[value]


RouterSetting = Annotated[
    RouterName | ToolSpec | None, PlainValidator(_read_router), KeysOf(RouterOptions)
]
"""A router by its name, or with its options: `{tools: {max_rounds: 6}}`."""


ASKS_MODEL: Final[tuple[RouterName, ...]] = ("cascade", "plan", "step")
"""The routers that cannot be made without a model."""


class ModellessRouterError(SettingsError):
    """A router that needs a model was asked for, and there is none."""

    def __init__(self, router: RouterName, file: Path | None = None) -> None:
        self.router, self.file = router, file
        option = f"`router: {router}` in {file}" if file else f"--router {router}"
        super().__init__(
            f"{option} needs a model: set MINERVA_MODEL, or `model:` in platform.yaml."
        )


Finish = Literal["compose", "explain", "synthesise"]
"""How parts become one answer: under headings, with a model's explanation, or in its words."""


class Rule(Section):
    """A rule that maps words to members, independent of the rest of the request."""

    when: str
    """A regular expression that is searched for in the request, without regard to case."""
    goals: tuple[str, ...] = Field(min_length=1)
    """The members to ask, in this order."""


class StorageSettings(Section):
    """Where runs are kept."""

    model_config = ConfigDict(hide_input_in_errors=True)

    url: str | None = None
    """Of a Postgres database, without a password; None means SQLite in the home. The variable
    `MINERVA_STORAGE_URL` goes before it."""
    files: str | None = Field(default=None, min_length=1)
    """Where artifacts and uploaded files lie. None: in the folder `artifacts` of the home. A path:
    in a folder that several hosts share, absolute or seen from the home. `database`: in the
    database, so that hosts share nothing else."""

    @field_validator("url")
    @classmethod
    def _check_url(cls, value: str | None) -> str | None:
        parts = urlsplit(value or "")
        if parts.password is not None or "password=" in parts.query:
            message = "a password does not belong in a file: set MINERVA_STORAGE_PASSWORD"
            raise ValueError(message)
        return value


class QueueSettings(Section):
    """How many background runs are at work at once, over all worker processes."""

    at_once: int | None = Field(default=None, ge=1)
    """In all; None means as many as the processes take."""
    at_once_of: dict[
        Annotated[str, name_of("a team, or `platform`")], Annotated[int, Field(ge=1)]
    ] = {}
    """By what was asked: `platform`, or the team that was asked alone."""
    lease_seconds: float = Field(default=30.0, ge=1.0)
    """Seconds after which others go on with the runs of a process that gives no sign of life."""


class ServerSettings(Section):
    """What `minerva serve` lets its clients do."""

    max_open_runs: int = Field(default=2000, ge=1)
    """Runs of a tenant that wait or are at work; beyond them a request gets 429."""
    requests_per_second: float = Field(default=200.0, gt=0)
    """Of one token, or of one address without tokens; ten seconds' worth may come at once."""
    max_upload_mib: int = Field(default=50, ge=1)
    """Mebibytes of an uploaded file."""
    attachments_root: Path | None = None
    """The folder below which a client may attach files by their paths. None: it may name none."""
    cors_origins: tuple[Annotated[str, AfterValidator(checked_origin)], ...] = ()
    """Other sites whose pages may call the server in a browser, each named: `*` would let any page
    in, also to a server without tokens."""

    @field_validator("attachments_root")
    @classmethod
    def _check_root(cls, value: Path | None) -> Path | None:
        if value is not None and not value.is_absolute():
            message = f"{value} depends on where the server starts; write a path that begins with /"
            raise ValueError(message)
        return value


class RetentionSettings(Section):
    """How long runs that have ended are kept. Without a limit they stay until `minerva prune`."""

    default: Age | None = None
    tenants: dict[Annotated[str, name_of("a tenant: `token create … --tenant NAME`")], Age] = {}
    """Instead of the default, by tenant."""


class ApprovalSettings(Section):
    """Who may decide what runs ask."""

    four_eyes: bool = False
    """True if nobody decides what their own request asks, over the server."""


class PlatformSettings(Section):
    """`platform.yaml`."""

    teams: tuple[Annotated[str, AfterValidator(checked_entry)], ...] | None = None
    """The teams to load, in this order: names of installed teams, or files beside platform.yaml
    (`./pipeline.py:Pipeline`). None means every team that is installed."""
    limits: LimitSettings = LimitSettings()
    keep_state: bool = True
    """True if runs, their turns and their checkpoints are kept."""
    keep_checkpoints: Literal["last", "all"] = "last"
    """What stays of runs that have ended: the last state of each thread's latest run, or all."""
    storage: StorageSettings = StorageSettings()
    queue: QueueSettings = QueueSettings()
    server: ServerSettings = ServerSettings()
    approvals: ApprovalSettings = ApprovalSettings()
    retention: RetentionSettings = RetentionSettings()
    record_text: bool = True
    """True if lists of runs and exports show what was asked, masked. Records never hold it."""
    runs_file_mib: int = Field(default=256, ge=1)
    """Mebibytes of `runs.jsonl` at which recording goes on in `runs.2.jsonl`, and so forth."""
    model: ModelSpec | None = None
    """For routing and for every team that names none; `MINERVA_MODEL` goes before it."""
    router: RouterSetting = None
    """The router that chooses teams. None means `cascade` with a model, `embedded` without."""
    rules: tuple[Rule, ...] = ()
    """For `router: rules`, the first that fits; what fits none goes to the embedded router."""
    finish: Finish = "compose"
    """How the teams' parts become one answer: under headings, explained, or in a model's words."""

    @model_validator(mode="after")
    def _check_files(self) -> Self:
        if self.storage.files == IN_DATABASE and not self.keep_state:
            message = "`storage.files: database` needs `keep_state: true`: nothing else is in it"
            raise ValueError(message)
        return self

    @property
    def segment_bytes(self) -> int:
        """`runs_file_mib` as the recorder takes it."""
        return self.runs_file_mib * 1024 * 1024


RequestText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""A request from which a router learns."""


class TeamSettings(Section):
    """`teams/<name>.yaml`; a team with settings of its own derives from this."""

    timeouts: dict[str, float] = {}
    """Seconds until a call of a member is given up, by member."""
    substitutes: dict[str, str] = {}
    """member -> member that is tried when the first fails."""
    examples: dict[str, tuple[RequestText, ...]] = {}
    """Requests that should reach a member, by member. They add to those that it declares."""
    declines: tuple[RequestText, ...] = ()
    """Requests that sound like the team's own and that no member serves. They add, too."""
    model: ModelSpec | None = None
    """For the team's routing and workers, instead of the platform's."""
    models: dict[str, ModelSpec] = {}
    """For single workers, by member."""
    router: RouterSetting = None
    """The router that chooses the team's workers. None means the platform's."""
    rules: tuple[Rule, ...] = ()
    """For `router: rules`, as in platform.yaml."""
    finish: Finish | None = None
    """How the workers' parts become the team's answer; None means compose."""
    mcp: dict[ServerName, McpServerSpec] = {}
    """Servers of tools (MCP), by the name that a `ToolAgent` of the team calls them."""


class Settings:
    """A folder of configuration files; each is read when it is asked for."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    @property
    def platform(self) -> PlatformSettings:
        """The settings of `platform.yaml`."""
        return self._read_settings(PLATFORM_FILE, PlatformSettings)

    def line_of_team(self, entry: str) -> str:
        """Return the file and line of an entry of `teams:`: `configs/platform.yaml:3`.

        If it is given in code instead, return the name of the file.
        """
        path = (self.folder or Path("configs")) / PLATFORM_FILE
        listed = self.platform.teams or ()
        if entry not in listed:
            return str(path)
        return f"{path}:{read_yaml(path).line_of(('teams', listed.index(entry)))}"

    def team(self, name: str, model: type[SettingsT]) -> SettingsT:
        """Return the settings of `teams/<name>.yaml` as the team's own settings model."""
        return self._read_settings(f"teams/{name}.yaml", model)

    def _read_settings(self, name: str, model: type[SettingsT]) -> SettingsT:
        path = self.folder / name if self.folder else None
        if path is None or not path.exists():
            return model()
        read: SettingsT = _parse_settings(path, yaml_text(path), model)
        return read


@lru_cache(maxsize=64)
def _parse_settings(path: Path, text: str, model: type[SettingsT]) -> SettingsT:
    """Return what a file says, parsed once for as long as it says the same.

    One run asks for its settings about 25 times.
    """
    return parse_yaml(path, text).as_model(model)


def find_settings(config: Path | None = None) -> Settings:
    """Return the settings of `config`, of `MINERVA_CONFIG`, of `./configs`, or the defaults.

    Raises:
        SettingsError: a folder was named and is not there.
    """
    named = config or (Path(given) if (given := os.environ.get(CONFIG_VARIABLE)) else None)
    if named is None:
        here = Path("configs")
        return Settings(here if (here / PLATFORM_FILE).exists() else None)
    if not named.is_dir():
        source = "--config" if config else CONFIG_VARIABLE
        message = f"{source} names {named}, which is not a folder; give the one with platform.yaml."
        raise SettingsError(message)
    return Settings(named)


def cache_directory() -> Path:
    """Return the cache folder, whose files can be made again. All home folders share it."""
    cache = os.environ.get("XDG_CACHE_HOME")
    if cache:
        return Path(cache) / "minerva"
    try:
        return Path.home() / ".cache" / "minerva"
    except RuntimeError:  # a service's user may have no home
        return home_directory() / "cache"


def home_directory() -> Path:
    """Return the folder in which runs keep their files: the home of the current run.

    Outside of a run it is `MINERVA_HOME`, else `.minerva` in the current folder.
    """
    return _home.get() or Path(os.environ.get(HOME_VARIABLE) or ".minerva")


@contextmanager
def bound_home(home: Path) -> Generator[None]:
    """Make `home` that of the block, and of every task and OS thread started there."""
    token = _home.set(home)
    try:
        yield
    finally:
        _home.reset(token)


_home: ContextVar[Path | None] = ContextVar("minerva_home", default=None)
