"""Requests for the workers of names and of columns, twenty each.

The same terms stand in the requests of all three workers, so the other words decide.
"""

NAMES = (
    "what is the standard name of the birth date?",
    "how do we abbreviate ward code and admission date",
    "which name does the glossary have for discharge time",
    "look up patient name, birth date and ward code",
    "find the term for the admission date",
    "what should I call the column for the patient name",
    "is customer number a term of the glossary",
    "give me the standard abbreviations for these columns",
    "which standard names do the fields of the order table get",
    "suggest a standard name for every column of the schema",
    "병동코드의 표준 이름이 뭐야?",
    "퇴원일시와 입원일자의 영문 약어는 뭐야?",
    "용어집에 입원일자가 있어?",
    "환자 이름, 생년월일, 병동코드에 맞는 용어를 찾아줘",
    "생년월일 컬럼 이름을 뭘로 하면 돼?",
    "환자 이름은 표준으로 뭐라고 불러?",
    "고객번호의 표준 약어를 알려줘",
    "이 컬럼들의 표준 용어를 조회해줘",
    "주문 테이블 항목을 표준 이름으로 바꾸면 뭐가 돼?",
    "스키마의 모든 컬럼에 표준 이름을 추천해줘",
)
COLUMNS = (
    "make a table of the birth date",
    "list ward code and admission date with their types",
    "write a CREATE TABLE script with discharge time",
    "sort patient name, birth date and ward code in a table",
    "give me the admission date as a CSV file",
    "write the patient name in lower case",
    "show customer number as a Markdown table",
    "put these columns in order of their names",
    "write the script that renames the order table",
    "export every column of the schema, old name beside new name",
    "병동코드를 CSV로 뽑아줘",
    "퇴원일시와 입원일자를 타입과 함께 정리해줘",
    "입원일자로 CREATE TABLE 문을 써줘",
    "환자 이름, 생년월일, 병동코드로 표를 만들어줘",
    "생년월일 컬럼을 순서대로 정렬해줘",
    "환자 이름을 소문자로 써줘",
    "고객번호를 마크다운 표로 보여줘",
    "이 컬럼들을 이름 순서로 놓아줘",
    "주문 테이블 이름을 바꾸는 스크립트를 만들어줘",
    "스키마의 모든 컬럼을 엑셀로 내보내줘",
)
