"""Scan data and schemas for personal data, judge them by the policy, and report with evidence."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Annotated, Any, ParamSpec, TypedDict, cast

from langgraph.graph import START, StateGraph

from minerva_governance.answers.report.build import TEXTS as DOCUMENT_TEXTS, Others, build_document
from minerva_governance.answers.report.document import Input, NoticeRead, to_json
from minerva_governance.answers.report.inputs import inputs_of
from minerva_governance.answers.report.markdown import to_markdown
from minerva_governance.answers.report.page import to_page
from minerva_governance.answers.report.register import to_register
from minerva_governance.answers.report.sarif import to_sarif
from minerva_governance.answers.report.since import (
    Earlier,
    NoEarlierReviewError,
    is_earlier_review,
    read_earlier,
)
from minerva_governance.answers.report.summary import (
    TEXTS,
    Report,
    report_to_markdown,
)
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
from minerva_governance.core.dependencies.dependency import TEXTS as LIBRARY_TEXTS, Dependencies
from minerva_governance.core.dependencies.sbom import can_write, to_sbom
from minerva_governance.core.detection.inventory import PiiColumn, inventory
from minerva_governance.core.detection.literal_scan import (
    LiteralHit,
    literal_columns,
    scan_literals,
)
from minerva_governance.core.detection.mask import mask_model, mask_text, use_masks
from minerva_governance.core.detection.table_scan import DataScan
from minerva_governance.core.kinds.catalogue import use_kinds
from minerva_governance.core.reading.code_schema import code_schemas
from minerva_governance.core.reading.declaration import Schema
from minerva_governance.core.reading.source import FileUse, Gathered, gather, placed
from minerva_governance.core.review.evaluation import evaluate, rules_asked
from minerva_governance.core.review.finding import Finding
from minerva_governance.core.review.material import (
    Material,
    read_material,
    unread_models,
    unsearched_code,
)
from minerva_governance.core.review.personal_flow import personal_flows
from minerva_governance.core.review.review import CodeSearch, CodeUse, NamedColumn, Review, gaps
from minerva_governance.core.review.uncovered import uncovered
from minerva_governance.core.review.unreviewed import Unreviewed
from minerva_governance.core.review.unused_words import unused_words
from minerva_governance.core.values.value_check import use_day
from minerva_governance.steps.attached_files import told_files
from minerva_governance.steps.clock import Clock, local_today
from minerva_governance.steps.restrictions import restrictions_of
from minerva_platform import (
    AgentInput,
    AgentOutput,
    Artifact,
    Attachment,
    AttachmentUse,
    BaseAgent,
    Citation,
    Shown,
)
from minerva_platform.text import Language, read_examples

MAX_SUMMARY_LINES = 15
"""Lines of each list in the summary; report.md holds all of them."""
MAX_CITATIONS = 50
"""The platform keeps 100 a team; the policy's own rules and clauses need the rest."""

SBOM_TYPE = "application/vnd.cyclonedx+json"


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


NodeP = ParamSpec("NodeP")


class ComplianceState(TypedDict):
    """What the nodes hand on; every value of the data is masked, as a checkpoint may hold it."""

    request: str
    language: Language
    meant: tuple[Shown, ...]
    policy: PolicySet
    code_uses: CodeUses | None
    declared_fields: DeclaredFields | None
    rename_plan: RenamePlan | None
    docstrings: DocstringCoverage | None
    migration: Migration | None
    givers: dict[str, str]
    lost: dict[str, str]
    earlier: Earlier | None
    attachments: tuple[Attachment, ...]
    schemas: tuple[Schema, ...]
    scans: tuple[DataScan, ...]
    dependencies: Dependencies
    unreviewed: tuple[Unreviewed, ...]
    literals: tuple[LiteralHit, ...]
    notes: tuple[str, ...]
    columns: tuple[PiiColumn, ...]
    judged: tuple[Finding, ...]
    findings: Findings
    summary: str
    citations: tuple[Citation, ...]
    shown: tuple[Shown, ...]
    artifacts: tuple[Artifact, ...]
    files: tuple[AttachmentUse, ...]
    inputs: tuple[Input, ...]
    unused: tuple[str, ...]


def _by_policy(node: Callable[NodeP, dict[str, Any]]) -> Callable[NodeP, dict[str, Any]]:
    """Return `node`, which knows the policies' kinds of personal data and masks as they say."""

    @wraps(node)
    def knowing(*args: NodeP.args, **kwargs: NodeP.kwargs) -> dict[str, Any]:
        state = cast("ComplianceState", args[1])
        policy = state["policy"]
        kinds = (kind for one in policy.policies for kind in one.kinds)
        with (
            use_day(cast("ComplianceAgent", args[0]).today()),
            use_kinds(kinds),
            use_masks(
                strict=policy.has_strict_masks,
                owners=[contact for one in policy.policies for contact in one.contacts],
            ),
        ):
            return node(*args, **kwargs)

    return knowing


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

    def build_graph(self) -> StateGraph[ComplianceState, None, ComplianceState, ComplianceState]:
        """Return scan, classify, evaluate, report."""
        return (
            StateGraph(ComplianceState)
            .add_sequence([self.scan, self.classify, self.evaluate, self.report])
            .add_edge(START, "scan")
        )

    @_by_policy
    def scan(self, state: ComplianceState) -> dict[str, Any]:
        """Read schemas and data files; what cannot be read is said, and is no failure."""
        attachments, language = state["attachments"], state["language"]
        gathered = gather([file.path for file in attachments], language=language)
        gathered, earlier, told = _without_earlier(gathered, language)
        material = read_material(
            gathered,
            state["policy"].documents,
            language=language,
            code_was_searched=state["code_uses"] is not None,
        )
        code = _code(state)
        unsearched = unsearched_code(code.unparsed if code else (), language)
        unsearched += _unread_models(state)
        schemas = [*material.schemas, *_declared(state, material.schemas)]
        return {
            "schemas": tuple(mask_model(schema) for schema in schemas),
            "literals": tuple(scan_literals(gathered.sources)),
            "scans": tuple(material.scans),
            "dependencies": material.dependencies,
            "unreviewed": (*material.unreviewed, *unsearched),
            "notes": tuple(map(mask_text, [*material.notes, *_sbom_notes(material, language)])),
            "files": told_files(attachments, [*material.uses, *told]),
            "earlier": earlier,
            "inputs": inputs_of(
                gathered,
                [*material.uses, *told],
                (*material.unreviewed, *unsearched),
                [schema.source for schema in material.schemas],
            ),
        }

    @_by_policy
    def classify(self, state: ComplianceState) -> dict[str, Any]:
        """Decide which columns are personal, and how that is known."""
        found = [
            *inventory(state["scans"], state["schemas"]),
            *literal_columns(state["literals"]),
        ]
        return {"columns": tuple(mask_model(column) for column in found)}

    @_by_policy
    def evaluate(self, state: ComplianceState) -> dict[str, Any]:
        """Ask every rule."""
        found = evaluate(self._review(state), state["policy"].policies)
        return {"judged": tuple(mask_model(finding) for finding in found)}

    @_by_policy
    def report(self, state: ComplianceState) -> dict[str, Any]:
        """Write the summary, report.md, findings.json and the hand-off from the same data."""
        review, policy = self._review(state), state["policy"]
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
            "shown": _shown(told),
            "artifacts": (
                *_files(report, self._others(state), state["earlier"], review),
                *_sbom(state["dependencies"]),
            ),
        }

    def _others(self, state: ComplianceState) -> Others:
        return Others(
            plan=state["rename_plan"],
            uses=_placed_uses(state),
            docstrings=_placed_docstrings(state),
            migration=state["migration"],
            notice_read=bool(state["policy"].clauses),
            givers=state.get("givers", {}),
            lost=state.get("lost", {}),
            scans=state["scans"],
            attached=tuple(
                mask_text(f"{each.name}/" if each.is_dir else each.name)
                for each in state["attachments"]
            ),
            notices=tuple(
                NoticeRead(source=each.source, title=each.title)
                for each in state["policy"].documents
                if each.source in {clause.source for clause in state["policy"].clauses}
            ),
            inputs=state["inputs"],
            today=self.today(),
        )

    def _review(self, state: ComplianceState) -> Review:
        return Review(
            today=self.today(),
            language=state["language"],
            scans=state["scans"],
            schemas=state["schemas"],
            columns=state["columns"],
            clauses=state["policy"].clauses,
            naming=_naming(state["rename_plan"]),
            dependencies=state["dependencies"],
            code=_code(state),
            unreviewed=state["unreviewed"],
        )


def _without_earlier(
    gathered: Gathered, language: Language
) -> tuple[Gathered, Earlier | None, list[FileUse]]:
    """Return the files without an earlier review's findings, and what that was."""
    earlier: Earlier | None = None
    told: list[FileUse] = []
    for source in gathered.sources:
        if not (source.is_named and is_earlier_review(source.path)):
            continue
        try:
            earlier = read_earlier(source.path)
            told.append(source.use("used"))
        except NoEarlierReviewError:
            reason = DOCUMENT_TEXTS("since_broken", language, name=source.name)
            told.append(source.use("unreadable", reason, must_mend=True))
    known = {use.source for use in told}
    sources = tuple(source for source in gathered.sources if source.name not in known)
    return replace(gathered, sources=sources), earlier, told


def _files(
    report: Report, others: Others, earlier: Earlier | None, review: Review
) -> tuple[Artifact, ...]:
    """Return the document in every form that it is kept in."""
    document = build_document(report, others, earlier)
    version = document.policies[0].version if document.policies else ""
    contents = {
        "report.md": ("text/markdown", to_markdown(document)),
        "report.html": ("text/html", to_page(document)),
        "findings.json": ("application/json", to_json(document)),
        "findings.sarif": ("application/sarif+json", to_sarif(document, version)),
        "register.csv": ("text/csv", to_register(document, review.clauses, review.schemas)),
    }
    return tuple(
        Artifact(name=name, media_type=kind, content=content)
        for name, (kind, content) in contents.items()
    )


def _sbom(dependencies: Dependencies) -> tuple[Artifact, ...]:
    """Return the bill of materials, where there are libraries and the extra that writes it."""
    if not (dependencies.libraries and can_write()):
        return ()
    content = to_sbom(dependencies)
    return (Artifact(name="sbom.json", media_type=SBOM_TYPE, content=content),)


def _sbom_notes(material: Material, language: Language) -> tuple[str, ...]:
    is_missing = bool(material.dependencies.libraries) and not can_write()
    return (LIBRARY_TEXTS("no_sbom", language),) if is_missing else ()


def _report(state: ComplianceState, review: Review) -> Report:
    policy = state["policy"]
    return Report(
        language=review.language,
        policies=policy.policies,
        rules=rules_asked(review, policy.policies),
        findings=state["judged"],
        columns=review.columns,
        flows=personal_flows(review),
        uncovered=uncovered(review, policy.policies),
        columns_seen=review.columns_seen,
        other_columns=review.other_columns,
        gaps=gaps(review, [*map(str, policy.problems), *state["notes"]]),
        is_baseline=policy.is_baseline,
        mistakes=policy.mistakes,
    )


def _narrowed(report: Report, meant: Sequence[Shown]) -> Report:
    """Return what `report` says of the rules and columns that the request refers to.

    All of it if it refers to none that are there. The files of the answer hold all in any case.
    """
    names = {name for one in meant if one.kind in {"rule", "column"} for name in one.names}
    columns = [column for column in report.columns if column.target in names]
    about = [one for one in report.findings if {one.rule_id, one.target} & names]
    if not (about or columns):
        return report
    ids, targets = {(one.policy, one.rule_id) for one in about}, {one.target for one in about}
    rules = [rule for rule in report.rules if (rule.policy, rule.id) in ids]
    columns = columns or [column for column in report.columns if column.target in targets]
    named = {*names, *targets}
    gaps = [one for one in report.uncovered if named.intersection(one.targets)]
    return replace(report, rules=rules, findings=about, columns=columns, uncovered=gaps)


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
        uncovered=tuple(report.uncovered),
        columns_looked_at=report.columns_seen,
        not_looked_at=tuple(report.gaps),
    )


def _shown(report: Report) -> tuple[Shown, ...]:
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
        *(part.name for part in review.unreviewed),
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


def _declared(state: ComplianceState, schemas: Sequence[Schema]) -> list[Schema]:
    """Return the models of the code as schemas, with their files called as findings call them."""
    found = state.get("declared_fields")
    if found is None:
        return []
    given = [file.path for file in state["attachments"]]
    fields = [one.model_copy(update={"path": placed(one.path, given)}) for one in found.fields]
    known = {column.name.casefold() for schema in schemas for column in schema.columns}
    return code_schemas(fields, known=known)


def _unread_models(state: ComplianceState) -> list[Unreviewed]:
    found = state.get("declared_fields")
    if found is None:
        return []
    given = [file.path for file in state["attachments"]]
    paths = [placed(path, given) for path in found.unparsed]
    return unread_models(paths, state["language"], shown=len(found.fields), total=found.total)


def _placed_uses(state: ComplianceState) -> CodeUses | None:
    """Return the uses with their files called as findings call them."""
    found, given = state["code_uses"], [file.path for file in state["attachments"]]
    if found is None:
        return None
    uses = (use.model_copy(update={"path": placed(use.path, given)}) for use in found.uses)
    unparsed = tuple(placed(path, given) for path in found.unparsed)
    return found.model_copy(update={"uses": tuple(uses), "unparsed": unparsed})


def _placed_docstrings(state: ComplianceState) -> DocstringCoverage | None:
    found, given = state["docstrings"], [file.path for file in state["attachments"]]
    if found is None:
        return None
    missing = (one.model_copy(update={"path": placed(one.path, given)}) for one in found.missing)
    return found.model_copy(update={"missing": tuple(missing)})


def _code(state: ComplianceState) -> CodeSearch | None:
    """Return the uses with their files called as findings call them."""
    found = state["code_uses"]
    if found is None:
        return None
    given = [file.path for file in state["attachments"]]
    return CodeSearch(
        uses=tuple(
            CodeUse.model_validate({**use.model_dump(), "path": placed(use.path, given)})
            for use in found.uses
        ),
        literals=state.get("literals", ()),
        truncated=found.truncated,
        unparsed=tuple(placed(path, given) for path in found.unparsed),
    )
