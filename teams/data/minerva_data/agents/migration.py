"""The fourth worker: it asks a person before a migration is written.

It is called when all else of a run is done, so its question keeps nobody waiting. Whatever the
person says, nothing is applied to a database.
"""

from typing import Any, Final

from langgraph.graph import START, StateGraph

from minerva_data.answers.files import MIGRATION, migration_files
from minerva_data.contracts import Migration
from minerva_data.core.glossary.datatype import row_type_change
from minerva_data.core.schema.migration import (
    migration_sql,
    name_clashes,
    open_dialects,
    sure_renames,
    with_dialect,
    with_names,
)
from minerva_platform import (
    AgentInput,
    AgentOutput,
    BaseAgent,
    RejectedError,
    WorkerState,
    ask_approval,
    ask_person,
)
from minerva_platform.text import Language, read_examples, read_texts

TEXTS = read_texts("minerva_data.answers", "migration")
TOOL: Final = "write_migration"
"""What the person approves, as the question names it."""
MAX_NAME_CHARACTERS: Final = 128
"""Of a name that a person writes: SQL Server's limit, the highest of the dialects we write."""


MAX_NAMES: Final = 10
"""Columns or objects that the question names; `mapping.csv` and the migration name all."""


class MigrationInput(AgentInput):
    """The renames to decide on."""

    migration: Migration


class MigrationState(WorkerState):
    """What the nodes hand on."""

    migration: Migration
    names: dict[str, str] | None
    refusal: str


class MigrationAgent(BaseAgent[MigrationInput, AgentOutput]):
    """Writes `migration.sql` as a person approved or edited it."""

    name = "migration_agent"
    description = (
        "Writes the migration script of a schema, migration.sql and rollback.sql, once a person "
        "has approved its renames or edited the new names; choose it to get ALTER TABLE statements."
    )

    examples = read_examples("minerva_data", "migration_agent")
    declines = read_examples("minerva_data", "declined")

    def build_graph(self) -> StateGraph[MigrationState, None, MigrationState, MigrationState]:
        """Return choose, ask, write."""
        steps = [self.choose, self.ask, self.write]
        return StateGraph(MigrationState).add_sequence(steps).add_edge(START, "choose")

    def choose(self, state: MigrationState) -> dict[str, Any]:
        """Wait for the person to name the dialect, if several fit and are written differently."""
        migration, fit = state["migration"], open_dialects(state["migration"].rows)
        if not fit:
            return {"names": None, "refusal": ""}
        reason = migration.rows[0].item.dialect_reason
        seen = f" ({reason})" if reason else ""
        question = TEXTS("dialect", state["language"], dialects=", ".join(fit), reason=seen)
        try:
            dialect = ask_person(question, answer={"type": "string", "enum": list(fit)})
        except RejectedError as error:
            return {"names": None, "refusal": error.message}
        rows = with_dialect(migration.rows, str(dialect))
        return {
            "migration": migration.model_copy(update={"rows": rows, "sql": migration_sql(rows)}),
            "names": None,
            "refusal": "",
        }

    def ask(self, state: MigrationState) -> dict[str, Any]:
        """Wait for the person, and keep the new names that they want."""
        migration, language = state["migration"], state["language"]
        if open_dialects(migration.rows):  # nobody has named one
            return {}
        defaults = {
            key: str(row.physical_name) for key, row in sure_renames(migration.rows).items()
        }
        question = TEXTS("question", language, count=migration.renames, tables=migration.tables)
        narrower = [
            f"{row.item.full_table}.{row.item.name} {row.item.data_type} → {row.data_type}"
            for row in migration.rows
            if row_type_change(row) == "narrower"
        ]
        if narrower:
            question += TEXTS("narrower", language, names=", ".join(narrower[:MAX_NAMES]))
        made = sure_renames(migration.rows).values()
        uses = dict.fromkeys(one for row in made for one in row.item.dependents if not one.follows)
        if uses:
            named = ", ".join(f"{one.name} ({one.place})" for one in list(uses)[:MAX_NAMES])
            question += TEXTS("uses", language, count=len(uses), names=named)
        try:
            names = ask_approval(
                question,
                tool=TOOL,
                arguments=defaults,
                schema=_form(defaults),
                check=lambda new_names: _problem(migration, new_names, language),
            )
        except RejectedError as error:
            return {"names": None, "refusal": error.message}
        return {"names": names, "refusal": ""}

    def write(self, state: MigrationState) -> dict[str, Any]:
        """Write the files of an approved migration, and say what was decided."""
        migration, names, language = state["migration"], state["names"], state["language"]
        if names is None:
            reason = TEXTS("reason", language, reason=state["refusal"]) if state["refusal"] else ""
            return {"summary": TEXTS("rejected", language) + reason, "artifacts": ()}
        rows = with_names(migration.rows, names)
        count = len(sure_renames(rows))
        if not count:
            return {"summary": TEXTS("no_rename", language), "artifacts": ()}
        renames = sure_renames(migration.rows)
        changed = sum(names.get(key) != row.physical_name for key, row in renames.items())
        key = "edited" if changed else "approved"
        summary = TEXTS(key, language, count=count, changed=changed)
        return {"summary": summary, "artifacts": migration_files(rows)}


def _form(defaults: dict[str, str]) -> dict[str, Any]:
    """Return the schema of an edit: a new name for each rename."""
    name = {"type": "string", "minLength": 1, "maxLength": MAX_NAME_CHARACTERS}
    return {
        "type": "object",
        "properties": {key: {**name, "default": new} for key, new in defaults.items()},
        "additionalProperties": False,
    }


def _problem(migration: Migration, new_names: dict[str, Any], language: Language) -> str:
    """Return what keeps the edited names from being a migration, or nothing."""
    for column, name in new_names.items():
        text = str(name)
        if not (text.strip() and text.isprintable() and len(text) <= MAX_NAME_CHARACTERS):
            return TEXTS("bad_name", language, column=column, limit=MAX_NAME_CHARACTERS)
    for table, name in name_clashes(with_names(migration.rows, new_names)):
        return TEXTS("clash", language, table=table, name=name)
    return ""


__all__ = ["MIGRATION", "MigrationAgent"]
