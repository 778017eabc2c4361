"""`ast_parser_agent`: index a source tree, so that the others can answer."""

from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel, ConfigDict

from minerva_insilico.contracts import CodeIndex, FailedFile
from minerva_insilico.core import indexer
from minerva_insilico.core.search import largest
from minerva_insilico.opening import opened, told_to_the_person
from minerva_insilico.outline import describe, list_problems
from minerva_platform import (
    AgentInput,
    AgentOutput,
    Artifact,
    Attachment,
    BaseAgent,
    Citation,
    Language,
)

_TOP = 5
_LISTED = 20


class AstParserInput(AgentInput):
    """A directory with Python sources."""

    source: Annotated[Attachment, Attachment.of("dir")]


class Changes(BaseModel):
    """What this run had to do, compared with the index of the run before."""

    model_config = ConfigDict(frozen=True)

    parsed: int
    unchanged: int
    removed: int


class AstParserOutput(AgentOutput):
    """The index, and what it took."""

    index: CodeIndex
    changes: Changes


class AstParserState(TypedDict):
    """Private: a scan, then a staged index, then a published one."""

    source: Attachment
    language: Language
    found: indexer.Scan
    staged: indexer.Staged
    indexed: indexer.Indexed
    index: CodeIndex
    changes: Changes
    summary: str
    citations: tuple[Citation, ...]
    artifacts: tuple[Artifact, ...]


class AstParserAgent(BaseAgent[AstParserInput, AstParserOutput]):
    """Index the Python sources of a directory without running a line of them."""

    name = "ast_parser_agent"
    description = (
        "Parses a directory of Python source code into an index and gives an overview: files,"
        " parse errors with line, the longest and most complex functions. Choose it to index,"
        " parse, outline or measure a code base."
    )
    examples = (
        "이 폴더의 파이썬 코드를 분석해서 색인해줘",
        "소스 코드 구조를 한눈에 보여줘",
        "프로젝트에 파일이 몇 개이고 어떤 함수들이 있는지 개요를 알려줘",
        "가장 복잡한 함수가 뭐야?",
        "순환 복잡도 높은 함수 순위를 뽑아줘",
        "너무 긴 함수들을 찾아줘",
        "문법 오류가 있는 파일이 있는지 확인해줘",
        "파싱이 안 되는 소스 파일 목록과 줄 번호를 알려줘",
        "코드베이스 통계를 내줘, 파일 수랑 함수 수",
        "리팩터링이 필요한 덩치 큰 함수가 어디 있는지 알고 싶어",
        "코드를 처음 인수받았는데 전체 구조부터 파악하고 싶어",
        "바뀐 소스만 다시 색인해줘",
        "이 저장소에 클래스와 모듈이 어떻게 나뉘어 있어?",
        "AST로 소스 트리를 훑어줘",
        "Index the Python code in this folder",
        "Parse this repository and give me an overview",
        "Which functions are the most complex?",
        "Show the cyclomatic complexity hot spots",
        "How many files, classes and functions does this code base have?",
        "Are there any files with syntax errors?",
        "List the sources that fail to parse, with line numbers",
        "What are the longest functions in the project?",
        "Outline the structure of this source tree",
        "Re-index the code, I changed a few files",
        "I just took over this repo, what does it consist of?",
        "Measure the size and complexity of our modules",
        "코드 구조 파악",
        "이 프로젝트 어떻게 생겼어",
        "소스 트리 훑어보고 요약해줘",
        "함수 몇 개, 클래스 몇 개인지",
        "제일 긴 함수가 뭐야",
        "복잡도 높은 함수 순위",
        "파이썬 파일 전부 읽어서 색인",
        "컴파일 안 되는 파일 있어?",
        "구문 오류 목록 부탁드립니다",
        "모듈 목록과 각 모듈의 클래스",
        "app 디렉터리 개요를 보여줘",
        "레포 분석 좀",
        "코드베이스 규모가 얼마나 되는지",
        "심볼 추출해줘",
        "깨진 소스 파일 찾아줘",
        "어떤 모듈이 제일 큰가요",
        "outline of the source tree",
        "how big is this code base",
        "longest functions please",
        "which functions are most complex",
        "are there broken python files",
        "give me an overview of the repository",
        "syntax errors in the project",
        "list the modules and their classes",
        "analyse the code structure",
        "scan the source folder and index it",
        "what is inside the app package",
        "parse 실패한 file 알려줘",
        "codebase 인덱싱 해줘",
    )
    Input = AstParserInput
    Output = AstParserOutput
    state_schema = AstParserState

    def build_graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Scan, parse, store, outline: one node each, so that each has its time."""
        graph = StateGraph(AstParserState)
        graph.add_node("scan", self.scan)
        graph.add_node("parse", self.parse)
        graph.add_node("store", self.store)
        graph.add_node("outline", self.outline)
        graph.add_edge(START, "scan")
        graph.add_edge("scan", "parse")
        graph.add_edge("parse", "store")
        graph.add_edge("store", "outline")
        graph.add_edge("outline", END)
        return graph

    def scan(self, state: AstParserState) -> dict[str, Any]:
        """Find what changed since the tree was indexed last."""
        with told_to_the_person():
            return {"found": indexer.scan(state["source"].path)}

    def parse(self, state: AstParserState) -> dict[str, Any]:
        """Parse what changed, in a process of its own."""
        with told_to_the_person():
            return {"staged": indexer.parse(state["found"])}

    def store(self, state: AstParserState) -> dict[str, Any]:
        """Put the new index in the place of the old one."""
        with told_to_the_person():
            indexed = indexer.publish(state["staged"])
        index = CodeIndex(
            root=str(indexed.root),
            database=str(indexed.database),
            files=indexed.files,
            parsed=indexed.parsed,
            failed=tuple(
                FailedFile(path=item.path, error=item.error, line=item.line)
                for item in indexed.failed
            ),
        )
        changes = Changes(parsed=indexed.read, unchanged=indexed.unchanged, removed=indexed.removed)
        return {"indexed": indexed, "index": index, "changes": changes}

    def outline(self, state: AstParserState) -> dict[str, Any]:
        """Tell what is in the index."""
        indexed, language = state["indexed"], state["language"]
        with opened(state["index"]) as index:
            counts = dict(
                index.connection.execute("SELECT kind, count(*) FROM symbols GROUP BY kind")
            )
            longest = largest(index, by="lines", limit=_TOP)
            complex_ = largest(index, by="complexity", limit=_TOP)
        return {
            "summary": describe(indexed, counts, longest, complex_, language),
            "citations": tuple(
                Citation(source=item.path, line=item.line, quote=item.error)
                for item in indexed.failed[:_LISTED]
            ),
            "artifacts": tuple(list_problems(indexed)),
        }
