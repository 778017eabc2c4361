"""Makes the files of this case in its own folder. Seeded; every person in it is invented."""
import base64, csv, hashlib, io, json, os, random
from pathlib import Path

HERE = Path(__file__).resolve().parent
R = random.Random(2808)
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


with open(HERE / "contractors.csv", "w", newline="", encoding="utf-8") as f:
    w = csv.writer(f)
    w.writerow(["contractor_id", "foreigner_no", "card_masked"])
    for i in range(200):
        w.writerow([i, rrn(1960, 1999, foreign=True), f"9410-****-****-{R.randint(0, 9999):04d}"])
