"""Scan data and schemas for personal data, judge them by the policy, and report with evidence."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from langgraph.graph import START, StateGraph

from minerva_governance.answers.report.inputs import inputs_of
from minerva_governance.answers.report.summary import TEXTS, Report, report_to_markdown
from minerva_governance.contracts import (
    CodeUses,
    DeclaredFields,
    DocstringCoverage,
    Findings,
    Migration,
    PolicySet,
    RenamePlan,
    StatusCounts,
)
from minerva_governance.core.detection.inventory import inventory
from minerva_governance.core.detection.literal_scan import literal_columns, scan_literals
from minerva_governance.core.detection.mask import mask_model, mask_text
from minerva_governance.core.kinds.review_context import ReviewContext
from minerva_governance.core.reading.source_files import gather
from minerva_governance.core.review.evaluation import evaluate, rules_asked
from minerva_governance.core.review.finding import Finding
from minerva_governance.core.review.personal_flow import personal_flows
from minerva_governance.core.review.review import Review, gaps
from minerva_governance.core.review.review_material import read_material, unsearched_code
from minerva_governance.core.review.uncovered import find_coverage_gaps
from minerva_governance.core.review.unused_words import unused_words
from minerva_governance.steps.attached_files import told_files
from minerva_governance.steps.clock import Clock, local_today
from minerva_governance.steps.report_files import report_files, sbom_notes, without_earlier
from minerva_governance.steps.restrictions import restrictions_of
from minerva_governance.steps.review_state import (
    ComplianceState,
    code_of,
    context_of,
    declared_schemas,
    review_of,
    unread_calls_of,
    unread_code_models,
)
from minerva_platform import AgentInput, AgentOutput, Attachment, BaseAgent, Citation, Shown
from minerva_platform.text import read_examples

MAX_SUMMARY_LINES = 15
"""Lines of each list in the summary; report.md holds all of them."""
MAX_CITATIONS = 50
"""The platform keeps 100 a team; the policy's own rules and clauses need the rest."""


class ComplianceInput(AgentInput):
    """The policy to judge by, what to judge, and what other teams found out about it."""

    policy: PolicySet
    code_uses: CodeUses | None = None
    declared_fields: DeclaredFields | None = None
    rename_plan: RenamePlan | None = None
    docstrings: DocstringCoverage | None = None
    migration: Migration | None = None
    givers: dict[str, str] = {}
    """kind of hand-off -> the path of who gave it"""
    lost: dict[str, str] = {}
    """kind of hand-off -> the path where the failure began that kept it away"""
    attachments: Annotated[tuple[Attachment, ...], Attachment.of("*", "dir")] = ()
    """Everything that was attached: what is not understood keeps rules from passing."""


class ComplianceOutput(AgentOutput):
    """The findings; `summary` is the short report, `artifacts` hold the whole of it."""

    findings: Findings


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

    def __init__(self, *, today: Clock = local_today) -> None:
        self.today = today

    def _context(self, state: ComplianceState) -> ReviewContext:
        return context_of(state["policy"], self.today())

    def build_graph(self) -> StateGraph[ComplianceState, None, ComplianceState, ComplianceState]:
        """Return scan, classify, evaluate, report."""
        return (
            StateGraph(ComplianceState)
            .add_sequence([self.scan, self.classify, self.evaluate, self.report])
            .add_edge(START, "scan")
        )

    def scan(self, state: ComplianceState) -> dict[str, Any]:
        """Read schemas and data files; what cannot be read is said, and is no failure."""
        with self._context(state).in_force():
            return _scan(state)

    def classify(self, state: ComplianceState) -> dict[str, Any]:
        """Decide which columns are personal, and how that is known."""
        with self._context(state).in_force():
            found = [
                *inventory(state["scans"], state["schemas"]),
                *literal_columns(state["literals"]),
            ]
            return {"columns": tuple(mask_model(column) for column in found)}

    def evaluate(self, state: ComplianceState) -> dict[str, Any]:
        """Ask every rule."""
        context = self._context(state)
        with context.in_force():
            found = evaluate(review_of(state, context), state["policy"].policies)
            return {"judged": tuple(mask_model(finding) for finding in found)}

    def report(self, state: ComplianceState) -> dict[str, Any]:
        """Write the summary, report.md, findings.json and the hand-off from the same data."""
        context = self._context(state)
        with context.in_force():
            return _write(state, context)


def _scan(state: ComplianceState) -> dict[str, Any]:
    attachments, language = state["attachments"], state["language"]
    files = gather([file.path for file in attachments], language=language)
    files, earlier, earlier_uses = without_earlier(files, language)
    material = read_material(
        files,
        state["policy"].documents,
        language=language,
        code_was_searched=state["code_uses"] is not None,
    )
    code = code_of(state)
    unsearched = unsearched_code(code.unparsed_paths if code else (), language)
    unsearched += unread_code_models(state)
    schemas = [*material.schemas, *declared_schemas(state, material.schemas)]
    return {
        "schemas": tuple(mask_model(schema) for schema in schemas),
        "literals": tuple(scan_literals(files.sources)),
        "unread_calls": unread_calls_of(state, files.sources, schemas) if code else None,
        "scans": tuple(material.scans),
        "dependencies": material.dependencies,
        "unreviewed": (*material.unreviewed_parts, *unsearched),
        "notes": tuple(map(mask_text, [*material.notes, *sbom_notes(material, language)])),
        "files": told_files(attachments, [*material.uses, *earlier_uses]),
        "earlier": earlier,
        "inputs": inputs_of(
            files,
            [*material.uses, *earlier_uses],
            (*material.unreviewed_parts, *unsearched),
            [schema.source for schema in material.schemas],
        ),
    }


def _write(state: ComplianceState, context: ReviewContext) -> dict[str, Any]:
    review, policy = review_of(state, context), state["policy"]
    report = _report(state, review)
    findings = report_to_handoff(report)
    told = _narrowed(report, state["meant"])
    if not (state["attachments"] or state["code_uses"] or state["rename_plan"]):
        return {"findings": findings, "summary": TEXTS("nothing_attached", report.language)}
    return {
        "unused": unused_words(
            state["request"],
            policy.policies,
            names=_names(review),
            restrictions=restrictions_of(state["request"]),
        ),
        "findings": findings,
        "summary": report_to_markdown(told, limit=MAX_SUMMARY_LINES),
        "citations": _citations(told.findings),
        "shown": _shown_of(told),
        "artifacts": report_files(state, report, review, context),
    }


def _report(state: ComplianceState, review: Review) -> Report:
    policy = state["policy"]
    return Report(
        language=review.language,
        policies=policy.policies,
        rules=rules_asked(review, policy.policies),
        findings=state["judged"],
        columns=review.columns,
        flows=personal_flows(review),
        coverage_gaps=find_coverage_gaps(review, policy.policies),
        columns_seen=review.columns_seen,
        other_columns=review.other_columns,
        gaps=gaps(review, [*map(str, policy.problems), *state["notes"]]),
        is_baseline=policy.is_baseline,
        mistakes=policy.mistakes,
    )


def _narrowed(report: Report, referents: Sequence[Shown]) -> Report:
    """Return what `report` says of the rules and columns that the request refers to.

    All of it if it refers to none that are there. The files of the answer hold all in any case.
    """
    names = {name for one in referents if one.kind in {"rule", "column"} for name in one.names}
    columns = [column for column in report.columns if column.target in names]
    about = [one for one in report.findings if {one.rule_id, one.target} & names]
    if not (about or columns):
        return report
    ids, targets = {(one.policy, one.rule_id) for one in about}, {one.target for one in about}
    rules = [rule for rule in report.rules if (rule.policy, rule.id) in ids]
    columns = columns or [column for column in report.columns if column.target in targets]
    named = {*names, *targets}
    gaps = [one for one in report.coverage_gaps if named.intersection(one.targets)]
    return replace(report, rules=rules, findings=about, columns=columns, coverage_gaps=gaps)


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
        flows=tuple(report.flows),
        uncovered=tuple(report.coverage_gaps),
        columns_looked_at=report.columns_seen,
        not_looked_at=tuple(report.gaps),
    )


def _shown_of(report: Report) -> tuple[Shown, ...]:
    """Return the broken rules and the personal columns; no value of the data is among them."""
    broken = [finding.rule_id for finding in report.findings if finding.status == "fail"]
    columns = [f"{column.table}.{column.column}" for column in report.columns]
    return (Shown(kind="rule", names=tuple(broken)), Shown(kind="column", names=tuple(columns)))


def _citations(findings: Sequence[Finding]) -> tuple[Citation, ...]:
    """Return what was read for the broken rules, each place once."""
    broken = [finding for finding in findings if finding.status == "fail"]
    places = dict.fromkeys(cited for finding in broken for cited in finding.citations)
    return tuple(Citation(**place.model_dump()) for place in list(places)[:MAX_CITATIONS])


def _names(review: Review) -> list[str]:
    """Return what the files, tables and columns of the material are called."""
    data = [f"{scan.table}.{column.name}" for scan in review.scans for column in scan.columns]
    declared = [f"{column.table}.{column.name}" for s in review.schemas for column in s.columns]
    files = [
        *(scan.source for scan in review.scans),
        *(schema.source for schema in review.schemas),
        *(clause.source for clause in review.clauses),
        *(part.name for part in review.unreviewed_parts),
    ]
    return [*files, *data, *declared]
