"""Makes the files of this case in its own folder. Seeded; every person in it is invented."""
import base64, csv, hashlib, io, json, os, random
from pathlib import Path

HERE = Path(__file__).resolve().parent
R = random.Random(1802)
SUR = "김 이 박 최 정 강 조 윤 장 임 한 오 서 신 권".split()
GIV = "서연 민준 하은 도윤 지우 예준 수아 시우 지아 은우 현주 영호 미경 상철 정숙 다온".split()


def name():
    return R.choice(SUR) + R.choice(GIV)


def rrn(y0=1950, y1=2004, foreign=False, sep="-"):
    y, m, d = R.randint(y0, y1), R.randint(1, 12), R.randint(1, 28)
    g = R.randint(1, 2) + (2 if y >= 2000 else 0) + (4 if foreign else 0)
    s = f"{y % 100:02d}{m:02d}{d:02d}{g}{R.randint(0, 99999):05d}"
    t = sum(int(c) * w for c, w in zip(s, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]))
    c = (11 - t % 11) % 10
    if foreign:
        c = (13 - t % 11) % 10
    return s[:6] + sep + s[6:] + str(c)


def card(sep="-"):
    s = R.choice(["4518", "5409", "9410", "4009"]) + f"{R.randint(0, 10**11 - 1):011d}"
    t = 0
    for i, c in enumerate(reversed(s)):
        v = int(c) * (2 if i % 2 == 0 else 1)
        t += v - 9 if v > 9 else v
    s += str((10 - t % 10) % 10)
    return sep.join(s[i:i + 4] for i in range(0, 16, 4))


def passport():
    return "M" + f"{R.randint(10**7, 10**8 - 1)}"


def licence():
    return f"{R.randint(11, 28)}-{R.randint(0, 25):02d}-{R.randint(0, 999999):06d}-{R.randint(10, 99)}"


def phone():
    return f"010-{R.randint(2000, 9999)}-{R.randint(0, 9999):04d}"


def cipher(n=44):
    return base64.b64encode(bytes(R.getrandbits(8) for _ in range(n))).decode()


def day(y0=2021, y1=2026):
    return f"{R.randint(y0, y1)}-{R.randint(1, 12):02d}-{R.randint(1, 28):02d}"


import openpyxl
wb = openpyxl.Workbook()
a = wb.active
a.title = "요약"
a.append(["지점", "고객수", "평균 이용금액"])
for b in ["강남", "수원", "대전", "부산", "광주"]:
    a.append([b, R.randint(100, 900), R.randint(20000, 90000)])
b = wb.create_sheet("원본")
b["A1"] = "고객 명단 (내부용, 외부 반출 금지)"
b["A2"] = "작성: 고객지원팀 2026-10-30"
heads = ["연번", "성명", "주민등록번호", "연락처", "등급"]
for j, h in enumerate(heads, 1):
    b.cell(4, j, h)
for i in range(260):
    for j, v in enumerate([i + 1, name(), rrn(), phone(), R.choice("ABC")], 1):
        b.cell(5 + i, j, v)
b.sheet_state = "hidden"
c = wb.create_sheet("backup")
c.append(["cust_no", "외국인등록번호", "여권번호"])
for i in range(150):
    # the first hundred rows were encrypted and the rest are hidden rows in plain text
    plain = i >= 100
    c.append([f"C{i:05d}", rrn(1960, 1999, foreign=True) if plain else cipher(28), cipher(24)])
    if plain:
        c.row_dimensions[i + 2].hidden = True
c.sheet_state = "veryHidden"
wb.save(HERE / "고객명단.xlsx")
