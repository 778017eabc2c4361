"""Writes the binary and oddly encoded files under files/. Needs openpyxl and pyarrow."""
import random
import sqlite3
import struct
import zipfile
import zlib
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent / "files"
rnd = random.Random(8)


def noise(n):
    return bytes(rnd.randrange(256) for _ in range(n))


def book(path, sheets):
    wb = openpyxl.Workbook()
    wb.remove(wb.active)
    for title, rows in sheets.items():
        ws = wb.create_sheet(title)
        for row in rows:
            ws.append(row)
    wb.save(path)


def png(path, w=24, h=24):
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    rows = b"".join(b"\0" + noise(w * 3) for _ in range(h))
    path.write_bytes(b"\x89PNG\r\n\x1a\n"
                     + chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


book(HERE / "visit_history.xlsx", {
    "내원": [["테이블명", "컬럼명", "타입", "설명"],
            ["visit", "vst_no", "VARCHAR(12)", "내원번호"],
            ["visit", "vst_day", "DATE", "내원일자"],
            ["visit", "dx_nm", "VARCHAR(100)", "진단명"],
            ["visit", "temp", "NUMBER(3,1)", "체온"]],
    "수납": [["테이블명", "컬럼명", "타입", "설명"],
            ["payment", "pay_amt", "INT", "수납금액"],
            ["payment", "pay_day", "DATE", "수납일자"]]})
book(HERE / "환자 명세 (최종).xlsx", {
    "Sheet1": [["컬럼", "설명"], ["p_birth", "생년월일"], ["p_sex", "성별"],
               ["p_height", "키"], ["p_weight", "몸무게"]]})
book(HERE / "cafeteria_survey.xlsx", {
    "설문": [["이 파일은 식당 만족도 조사입니다"], [], ["맛있다", 14], ["그저 그렇다", 9], ["싫다", 3]]})

book(HERE / "nurse_roster.xlsx", {
    "근무표": [["컬럼명", "설명"]] + [[f"c{i}", f"항목 {i}"] for i in range(60)]})
whole = (HERE / "nurse_roster.xlsx").read_bytes()
(HERE / "nurse_roster.xlsx").write_bytes(whole[: len(whole) // 2])

book(HERE / "members_tmp.xlsx", {"m": [["column", "description"], ["mem_nm", "회원 이름"]]})
(HERE / "members_tmp.xlsx").rename(HERE / "members.csv")   # a workbook called .csv

pq.write_table(pa.table({"device_id": [1, 2, 3], "patient_no": ["A1", "A2", "A3"],
                         "pulse": [71, 88, 64]}), HERE / "vitals.parquet")

db = HERE / "pharmacy.sqlite"
db.unlink(missing_ok=True)
con = sqlite3.connect(db)
con.execute("create table drug (drug_cd text primary key, drug_nm text, unit_price int)")
con.execute("create table dispense (disp_no text, patient_no text, drug_cd text, disp_dt text)")
con.execute("insert into drug values ('D01', '가상정 10mg', 120)")
con.commit()
con.close()

png(HERE / "erd_photo.png")
png(HERE / "app/static/stamp.png", 12, 12)

(HERE / "legacy_cp949.sql").write_bytes("""\
-- 구 전산 퇴원 테이블
CREATE TABLE TOIWON (
  HWANJA_NO  CHAR(8),      -- 환자번호
  IPWON_IL   CHAR(8),      -- 입원일자
  TOIWON_IL  CHAR(8),      -- 퇴원일자
  SAYU       VARCHAR(100)  -- 퇴원사유
);
""".encode("cp949"))
(HERE / "columns_cp949.csv").write_bytes(
    "테이블,컬럼,설명\n응급,er_no,응급접수번호\n응급,arr_tm,도착시각\n응급,amb_yn,구급차이용여부\n".encode("cp949"))
(HERE / "export_utf16.sql").write_bytes("""\
CREATE TABLE staff (
  emp_no  NVARCHAR(8)  NOT NULL, -- 직원번호
  emp_nm  NVARCHAR(30),          -- 직원 이름
  join_dt DATE                   -- 입사일자
);
""".encode("utf-16"))
(HERE / "dump_binary.sql").write_bytes(b"PGDMP\x01\x0e\x00" + noise(900))
(HERE / "consent_form.pdf").write_bytes(
    b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\nstream\n" + noise(400) + b"\nendstream\n%%EOF\n")
(HERE / "old_codes.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 24 + noise(480))

with zipfile.ZipFile(HERE / "app_backup.zip", "w") as z:
    for f in sorted((HERE / "app").rglob("*.py")):
        z.writestr(zipfile.ZipInfo(str(f.relative_to(HERE))), f.read_bytes())
