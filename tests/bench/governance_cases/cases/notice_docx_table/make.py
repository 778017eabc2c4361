"""Makes the files of this case next to itself. Everything in them is invented."""
import random, base64, os
HERE = os.path.dirname(os.path.abspath(__file__))

def out(name):
    p = os.path.join(HERE, name)
    os.makedirs(os.path.dirname(p), exist_ok=True)
    return p

def rrn(R, valid=True, hyphen=True, years=(1950, 2004), foreign=False):
    """An invented resident (or alien) registration number."""
    y, m, d = R.randint(*years), R.randint(1, 12), R.randint(1, 28)
    g = (1 if y < 2000 else 3) + R.randint(0, 1) + (4 if foreign else 0)
    s = "%02d%02d%02d%d%05d" % (y % 100, m, d, g, R.randint(0, 99999))
    t = sum(int(c) * w for c, w in zip(s, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)))
    c = ((13 if foreign else 11) - t % 11) % 10
    if not valid:
        c = (c + R.randint(1, 9)) % 10
    s += str(c)
    return s[:6] + "-" + s[6:] if hyphen else s

def card(R, sep="", valid=True):
    """An invented card number of 16 digits in a test range."""
    s = R.choice(["400000", "555555", "411111"]) + "%09d" % R.randint(0, 999999999)
    t = 0
    for i, ch in enumerate(reversed(s)):
        n = int(ch)
        if i % 2 == 0:
            n = n * 2 - 9 if n > 4 else n * 2
        t += n
    c = -t % 10
    if not valid:
        c = (c + R.randint(1, 9)) % 10
    s += str(c)
    return sep.join(s[i:i + 4] for i in range(0, 16, 4))

def passport(R):
    if R.random() < .5:
        return "M%08d" % R.randint(10000000, 99999999)
    return "M%03d%s%04d" % (R.randint(100, 999), R.choice("ABCDEFGH"), R.randint(0, 9999))

def licence(R):
    return "%d-%02d-%06d-%02d" % (R.randint(11, 28), R.randint(0, 24), R.randint(0, 999999), R.randint(10, 99))

def cipher(R, n=32):
    """Stands for a ciphertext: random bytes in base64."""
    return base64.b64encode(bytes(R.getrandbits(8) for _ in range(n))).decode()

def name(R):
    return R.choice("김이박최정강조윤장임한오서신권황안송류홍") + R.choice(
        ["가람", "나래", "다온", "라온", "마루", "바름", "새봄", "아라", "자람", "차온", "하늘", "한결", "은새", "도담", "미르"])

def phone(R):
    return "010-%04d-%04d" % (R.randint(0, 999), R.randint(0, 9999))


R = random.Random(0)
import zipfile
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
def para(*runs):
    return "<w:p>" + "".join("<w:r><w:t>%s</w:t></w:r>" % r for r in runs) + "</w:p>"
def row(*cells):
    return "<w:tr>" + "".join("<w:tc>" + para(*(c if isinstance(c, tuple) else (c,))) + "</w:tc>" for c in cells) + "</w:tr>"
body = para("개인정보 처리방침") + para("개인정보의 항목과 보유 기간은 아래 표와 같습니다.") + "<w:tbl>" + row("목적", "항목", "보유 기간") + row("상담", "이름, 전화번호", "1년") + row("보증 수리", "이름, 주소", ("5", "년")) + "</w:tbl>" + para("문의: 보호책임자 최한결")
doc = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:document %s><w:body>%s</w:body></w:document>' % (W, body)
types = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
rels = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>'
with zipfile.ZipFile(out("개인정보 처리방침.docx"), "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("[Content_Types].xml", types)
    z.writestr("_rels/.rels", rels)
    z.writestr("word/document.xml", doc)
