"""Scan data and schemas for personal data, judge them by the policy, and report with evidence."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph

from minerva_governance.clock import Clock, local_today
from minerva_governance.contracts import (
    CodeUses,
    Findings,
    PolicySet,
    RenamePlan,
    StatusCounts,
)
from minerva_governance.core.evaluation import evaluate, rules_asked
from minerva_governance.core.finding import Finding
from minerva_governance.core.gap import gaps
from minerva_governance.core.inventory import (
    SAMPLE_ROWS,
    DataScan,
    PiiColumn,
    inventory,
    schema_promises,
)
from minerva_governance.core.mask import mask_model, mask_text
from minerva_governance.core.report import Report, report_to_json, report_to_markdown
from minerva_governance.core.review import CodeSearch, CodeUse, NamedColumn, Review
from minerva_governance.core.scan import open_again, scan_files
from minerva_governance.core.schema_file import Schema, read_schema
from minerva_platform import AgentInput, AgentOutput, Attachment, BaseAgent

SUMMARY_LINES = 15
"""Lines of each list in the summary; report.md holds all of them."""
MAX_CITATIONS = 50


class ComplianceInput(AgentInput):
    """The policy to judge by, what to judge, and what other teams found out about it."""

    policy: PolicySet
    code_uses: CodeUses | None = None
    rename_plan: RenamePlan | None = None
    datasets: Annotated[tuple[Attachment, ...], Attachment.of("*.csv")] = ()
    schemas: Annotated[tuple[Attachment, ...], Attachment.of("*.sql", "*.ddl")] = ()


class ComplianceOutput(AgentOutput):
    """The findings; `summary` is the short report, `artifacts` hold the whole of it."""

    findings: Findings


class ComplianceState(TypedDict):
    """JSON only, every value of the data masked: a checkpoint may hold it."""

    given: dict[str, Any]
    schemas: list[dict[str, Any]]
    scans: list[dict[str, Any]]
    problems: list[str]
    columns: list[dict[str, Any]]
    judged: list[dict[str, Any]]
    findings: dict[str, Any]
    summary: str
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
    examples = (
        "개인정보 처리방침을 어기는 곳을 보고해줘",
        "이 CSV에 주민등록번호가 평문으로 들어 있는지 봐줘",
        "개인정보 규정 위반 점검해줘",
        "export.csv를 밖으로 내보내도 되는지 확인해줘",
        "내보낼 파일의 k-익명성을 계산해줘",
        "로그에 개인정보가 찍히는 코드가 있는지 감사해줘",
        "스키마에서 개인정보 컬럼을 찾아줘",
        "암호화 안 된 고유식별정보가 있나 점검해줘",
        "처리방침에 없는데 수집하는 항목이 있는지 비교해줘",
        "보존 기간이 처리방침과 맞는지 검사해줘",
        "개인정보 현황표 만들어줘",
        "이 데이터에 카드번호나 전화번호가 섞여 있는지 스캔해줘",
        "컴플라이언스 보고서 작성해줘",
        "규정을 위반한 컬럼과 근거를 알려줘",
        "개인정보 영향평가에 쓸 점검 결과가 필요해",
        "재식별 위험이 있는 행이 몇 개인지 알려줘",
        "민감한 정보가 새는 곳이 있는지 살펴봐줘",
        "Report every place that violates our privacy policy",
        "Does this export contain plain resident registration numbers?",
        "Scan these files for personal data",
        "Check whether export.csv is k-anonymous for age, sex and zip",
        "Audit the schema and code for privacy violations",
        "Which personal columns are collected but missing from the privacy notice?",
        "Make a PII inventory of this schema",
        "Are there unencrypted identifiers in the data?",
        "Is it safe to share this dataset with a research institute?",
        "Run a compliance check and give me a report",
        "Find credit card numbers or e-mail addresses left in these files",
        "Does any personal data end up in our logs?",
        "평문 주민번호 탐지",
        "이 파일 밖으로 내보내도 돼?",
        "민감 정보 들어 있는지",
        "개인 식별 가능한 값 찾아줘",
        "위반 사항 있나 점검",
        "우리 스키마가 개인정보 방침을 지키는지",
        "규정 어긴 데이터 목록",
        "마스킹 안 된 값 나오는지 확인 부탁드려요",
        "카드번호 유효한 거 섞여 있나",
        "재식별 위험도 계산",
        "k-익명성 몇이야",
        "방침에 없는 항목을 수집하고 있지 않은가",
        "법규 준수 리포트",
        "합격 불합격으로 판정해줘",
        "유출되면 안 되는 데이터가 덤프에 있는지",
        "보관 기간 넘긴 데이터 있나",
        "고유식별정보 암호화 안 된 컬럼",
        "개인정보 영향 점검해줘",
        "csv 스캔",
        "any personal data in this dump",
        "privacy check",
        "is it safe to share this file",
        "unmasked phone numbers",
        "does our schema comply with the notice",
        "pass or fail per rule",
        "find leaked identifiers",
        "k-anonymity of the export",
        "privacy audit with evidence",
        "e-mail addresses in the data file",
        "rules we violate",
        "PII 있는지 scan 해줘",
        "compliance 위반 목록",
    )
    Input = ComplianceInput
    Output = ComplianceOutput
    state_schema = ComplianceState
    presents = ("governance.policy",)

    def __init__(self, *, today: Clock = local_today, sample_rows: int = SAMPLE_ROWS) -> None:
        self._today, self._sample_rows = today, sample_rows

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
        """Read schemas and data files; what cannot be read becomes a problem, not a failure."""
        given = ComplianceInput.model_validate(state["given"])
        schemas = [read_schema(file.path, language=given.language) for file in given.schemas]
        scans, problems = scan_files(
            [file.path for file in given.datasets],
            promises=schema_promises(schemas),
            sample_rows=self._sample_rows,
            language=given.language,
        )
        problems += [problem for schema in schemas for problem in schema.problems]
        return {
            "schemas": [mask_model(schema).model_dump(mode="json") for schema in schemas],
            "scans": [scan.model_dump(mode="json") for scan in scans],
            "problems": [mask_text(str(problem)) for problem in problems],
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
        return {
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
            scans=[scan for _, scan in review.files],
            gaps=gaps(review, [*(str(p) for p in given.policy.problems), *state["problems"]]),
            is_baseline=given.policy.is_baseline,
        )

    def _review(self, state: Mapping[str, Any]) -> Review:
        given = ComplianceInput.model_validate(state["given"])
        scans = [DataScan.model_validate(scan) for scan in state["scans"]]
        return Review(
            today=self._today(),
            language=given.language,
            files=[(open_again(scan), scan) for scan in scans],
            schemas=[Schema.model_validate(schema) for schema in state["schemas"]],
            columns=[PiiColumn.model_validate(column) for column in state["columns"]],
            clauses=given.policy.clauses,
            naming=_naming(given.rename_plan),
            code=_code(given.code_uses),
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


def _code(found: CodeUses | None) -> CodeSearch | None:
    if found is None:
        return None
    uses = tuple(CodeUse.model_validate(use.model_dump()) for use in found.uses)
    return CodeSearch(uses=uses, truncated=found.truncated, unparsed=found.unparsed)
