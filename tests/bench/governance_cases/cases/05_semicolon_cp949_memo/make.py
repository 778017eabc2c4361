"""Makes the files of this case in its own folder. Seeded; every person in it is invented."""
import base64, csv, hashlib, io, json, os, random
from pathlib import Path

HERE = Path(__file__).resolve().parent
R = random.Random(1805)
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


say = ["배송 지연 문의\n재발송 안내함", "환불 요청; 담당자 확인 중", "주소 변경 요청", "앱 로그인 오류\n\n재설치 안내", "고객이 \"빨리\" 처리해 달라고 함"]
hit = {612: lambda: f"본인확인 함;\n주민 {rrn()}\n기록 후 삭제 예정",
       733: lambda: "명의변경\n신분증: " + licence() + "\n끝",
       801: lambda: "자녀 등록\n" + rrn(2000, 2004, sep=" - ") + " 확인"}
with open(HERE / "상담내역.csv", "w", newline="", encoding="cp949") as f:
    w = csv.writer(f, delimiter=";", quoting=csv.QUOTE_MINIMAL)
    w.writerow(["접수번호", "접수일", "상담원", "상담내용", "처리상태"])
    for i in range(900):
        w.writerow([f"Q{20260000 + i}", day(2026, 2026), f"agent{R.randint(1, 30):02d}", hit[i]() if i in hit else R.choice(say), R.choice(["완료", "진행"])])
with open(HERE / "녹취목록.csv", "w", newline="", encoding="cp949") as f:
    w = csv.writer(f, delimiter=";")
    w.writerow(["녹취번호", "파일명", "길이초", "고객번호_마스킹", "주민번호_마스킹"])
    for i in range(300):
        w.writerow([f"202611{R.randint(40, 99)}{i:05d}", f"rec_{R.getrandbits(48):012x}.wav", R.randint(10, 900), f"010-****-{R.randint(0, 9999):04d}", f"{R.randint(50, 99)}****-*******"])
