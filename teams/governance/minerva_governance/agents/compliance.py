"""Scan data and schemas for personal data, judge them by the policy, and report with evidence."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph

from minerva_governance.agents.clock import Clock, local_today
from minerva_governance.agents.file_account import told_files
from minerva_governance.agents.narrowing import spans_of_restrictions
from minerva_governance.contracts import (
    CodeUses,
    Findings,
    PolicySet,
    RenamePlan,
    StatusCounts,
)
from minerva_governance.core.detection.inventory import DataScan, PiiColumn, inventory
from minerva_governance.core.detection.mask import mask_model, mask_text
from minerva_governance.core.reading.data_table import DEFAULT_MAX_BYTES
from minerva_governance.core.reading.schema_file import Schema
from minerva_governance.core.reading.source import gather, placed
from minerva_governance.core.report.report import Report, report_to_json, report_to_markdown
from minerva_governance.core.report.wording import Wording
from minerva_governance.core.review.evaluation import evaluate, rules_asked
from minerva_governance.core.review.finding import Finding
from minerva_governance.core.review.gap import gaps
from minerva_governance.core.review.material import read_material, unsearched_code
from minerva_governance.core.review.restriction import unheeded_words
from minerva_governance.core.review.review import CodeSearch, CodeUse, NamedColumn, Review
from minerva_governance.core.review.unseen import Unseen
from minerva_platform import AgentInput, AgentOutput, Attachment, BaseAgent
from minerva_platform.text import read_examples

SUMMARY_LINES = 15
"""Lines of each list in the summary; report.md holds all of them."""
MAX_CITATIONS = 50
NOTHING_ATTACHED = Wording(
    "첨부한 파일이 없어 점검하지 못했습니다. 데이터(CSV 등), 스키마(SQL), 코드 폴더와, "
    "있으면 정책(YAML)과 처리방침(MD)을 함께 주세요.",
    "Nothing was attached, so nothing was checked. Attach the data (CSV and others), schema (SQL) "
    "or code folder, and the policy (YAML) and privacy notice (MD) if there are any.",
)


class ComplianceInput(AgentInput):
    """The policy to judge by, what to judge, and what other teams found out about it."""

    policy: PolicySet
    code_uses: CodeUses | None = None
    rename_plan: RenamePlan | None = None
    attachments: Annotated[tuple[Attachment, ...], Attachment.of("*", "dir")] = ()
    """Everything that was attached: what is not understood keeps rules from passing."""

    @property
    def has_material(self) -> bool:
        """True if there is something to judge: files, or what other teams found in them."""
        return bool(self.attachments or self.code_uses or self.rename_plan)


class ComplianceOutput(AgentOutput):
    """The findings; `summary` is the short report, `artifacts` hold the whole of it."""

    findings: Findings


class ComplianceState(TypedDict):
    """JSON only, every value of the data masked: a checkpoint may hold it."""

    given: dict[str, Any]
    schemas: list[dict[str, Any]]
    scans: list[dict[str, Any]]
    unseen: list[dict[str, Any]]
    notes: list[str]
    files: list[dict[str, Any]]
    columns: list[dict[str, Any]]
    judged: list[dict[str, Any]]
    findings: dict[str, Any]
    summary: str
    unused: tuple[str, ...]
    citations: list[dict[str, Any]]
    artifacts: list[dict[str, str]]


class ComplianceAgent(BaseAgent[ComplianceInput, ComplianceOutput]):
    """Judges what it saw, and says what it did not see."""

    name = "compliance_agent"
    description = (
        "Scans data files and schemas for personal data (resident numbers, cards, phones, e-mail), "
        "judges them and the code by the policy's rules, and reports violations, k-anonymity and "
        "differences from the privacy notice with masked evidence. Choose it to check or audit."
    )
    examples = read_examples("minerva_governance", "compliance_agent")
    declines = read_examples("minerva_governance", "declined")
    presents = ("governance.policy",)

    def __init__(self, *, today: Clock = local_today, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        self._today, self._max_bytes = today, max_bytes

    def build_graph(self) -> StateGraph[ComplianceState, None, ComplianceState, ComplianceState]:
        """Return scan, classify, evaluate, report: one after another."""
        graph = StateGraph(ComplianceState)
        graph.add_node("scan", self.scan)
        graph.add_node("classify", self.classify)
        graph.add_node("evaluate", self.evaluate)
        graph.add_node("report", self.report)
        graph.add_edge(START, "scan")
        graph.add_edge("scan", "classify")
        graph.add_edge("classify", "evaluate")
        graph.add_edge("evaluate", "report")
        graph.add_edge("report", END)
        return graph

    def input_to_state(self, payload: ComplianceInput) -> dict[str, Any]:
        """Keep the input as JSON."""
        return {"given": payload.model_dump(mode="json")}

    def scan(self, state: ComplianceState) -> dict[str, Any]:
        """Read schemas and data files; what cannot be read is said, and is no failure."""
        given = ComplianceInput.model_validate(state["given"])
        material = read_material(
            gather([file.path for file in given.attachments]),
            given.policy.documents,
            language=given.language,
            code_was_searched=given.code_uses is not None,
            max_bytes=self._max_bytes,
        )
        code = _code(given)
        unparsed = code.unparsed if code else ()
        unseen = [*material.unseen, *unsearched_code(unparsed, given.language)]
        return {
            "schemas": [mask_model(each).model_dump(mode="json") for each in material.schemas],
            "scans": [scan.model_dump(mode="json") for scan in material.scans],
            "unseen": [part.model_dump(mode="json") for part in unseen],
            "notes": [mask_text(note) for note in material.notes],
            "files": told_files(given.attachments, material.uses),
        }

    def classify(self, state: ComplianceState) -> dict[str, Any]:
        """Decide which columns are personal, and how that is known."""
        scans = [DataScan.model_validate(scan) for scan in state["scans"]]
        schemas = [Schema.model_validate(schema) for schema in state["schemas"]]
        columns = [mask_model(column) for column in inventory(scans, schemas)]
        return {"columns": [column.model_dump(mode="json") for column in columns]}

    def evaluate(self, state: ComplianceState) -> dict[str, Any]:
        """Ask every rule."""
        review = self._review(state)
        policies = ComplianceInput.model_validate(state["given"]).policy.policies
        judged = [mask_model(finding) for finding in evaluate(review, policies)]
        return {"judged": [finding.model_dump(mode="json") for finding in judged]}

    def report(self, state: ComplianceState) -> dict[str, Any]:
        """Write the summary, report.md, findings.json and the hand-off from the same data."""
        report = self._report(state)
        findings = report_to_handoff(report)
        given = ComplianceInput.model_validate(state["given"])
        if not given.has_material:
            summary = NOTHING_ATTACHED.said_in(given.language)
            return {"findings": findings.model_dump(mode="json"), "summary": summary}
        return {
            "unused": unheeded_words(
                given.request,
                given.policy.policies,
                names=_names(self._review(state)),
                restrictions=spans_of_restrictions(given.request),
            ),
            "findings": findings.model_dump(mode="json"),
            "summary": report_to_markdown(report, limit=SUMMARY_LINES),
            "citations": _citations(report.findings),
            "artifacts": [
                {
                    "name": "report.md",
                    "media_type": "text/markdown",
                    "content": report_to_markdown(report),
                },
                {
                    "name": "findings.json",
                    "media_type": "application/json",
                    "content": report_to_json(report),
                },
            ],
        }

    def _report(self, state: ComplianceState) -> Report:
        given = ComplianceInput.model_validate(state["given"])
        review = self._review(state)
        return Report(
            language=given.language,
            policies=given.policy.policies,
            rules=rules_asked(review, given.policy.policies),
            findings=[Finding.model_validate(finding) for finding in state["judged"]],
            columns=review.columns,
            columns_seen=review.columns_seen,
            gaps=gaps(review, [*(str(p) for p in given.policy.problems), *state["notes"]]),
            is_baseline=given.policy.is_baseline,
            mistakes=given.policy.mistakes,
        )

    def _review(self, state: Mapping[str, Any]) -> Review:
        given = ComplianceInput.model_validate(state["given"])
        scans = [DataScan.model_validate(scan) for scan in state["scans"]]
        return Review(
            today=self._today(),
            language=given.language,
            scans=scans,
            schemas=[Schema.model_validate(schema) for schema in state["schemas"]],
            columns=[PiiColumn.model_validate(column) for column in state["columns"]],
            clauses=given.policy.clauses,
            naming=_naming(given.rename_plan),
            code=_code(given),
            unseen=[Unseen.model_validate(part) for part in state["unseen"]],
        )


def report_to_handoff(report: Report) -> Findings:
    """Return the report as the hand-off that other teams may read."""
    counts = report.counts()
    return Findings(
        policies=tuple(policy.id for policy in report.policies),
        counts=StatusCounts(
            failed=counts["fail"],
            waived=counts["waived"],
            not_evaluated=counts["not_evaluated"],
            passed=counts["pass"],
            total=len(report.findings),
        ),
        findings=tuple(report.findings),
        inventory=tuple(report.columns),
        columns_looked_at=report.columns_seen,
        not_looked_at=tuple(report.gaps),
    )


def _citations(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return what was read for the broken rules, each place once."""
    places: dict[str, dict[str, Any]] = {}
    for finding in findings:
        if finding.status == "fail":
            for cited in finding.citations:
                places.setdefault(cited.model_dump_json(), cited.model_dump(mode="json"))
    return list(places.values())[:MAX_CITATIONS]


def _names(review: Review) -> list[str]:
    """Return what the files, tables and columns of the material are called."""
    data = [f"{scan.table}.{column.name}" for scan in review.scans for column in scan.columns]
    declared = [f"{column.table}.{column.name}" for s in review.schemas for column in s.columns]
    files = [
        *(scan.source for scan in review.scans),
        *(schema.source for schema in review.schemas),
        *(clause.source for clause in review.clauses),
        *(part.name for part in review.unseen),
    ]
    return [*files, *data, *declared]


def _naming(plan: RenamePlan | None) -> tuple[NamedColumn, ...] | None:
    if plan is None:
        return None
    return tuple(
        NamedColumn(
            table=column.table,
            column=column.column,
            standard=column.physical_name,
            resolved=column.status != "unresolved",
        )
        for column in plan.columns
    )


def _code(given: ComplianceInput) -> CodeSearch | None:
    found = given.code_uses
    if found is None:
        return None
    folders = [file.path for file in given.attachments if file.is_dir]
    return CodeSearch(
        uses=tuple(
            CodeUse.model_validate({**use.model_dump(), "path": placed(use.path, folders)})
            for use in found.uses
        ),
        truncated=found.truncated,
        unparsed=tuple(placed(path, folders) for path in found.unparsed),
    )
