#!/usr/bin/env python3
"""generate.py N SEED OUT.jsonl - identifiers and phone numbers in many ways of writing."""
import json, random, re, sys

KINDS = ["PHONE", "KR_RRN", "KR_FRN", "ES_NIF", "FR_NIR", "DE_TAX_ID", "IBAN_CODE", "IT_FISCAL_CODE"]
UP = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

def dig(r, n): return "".join(r.choice("0123456789") for _ in range(n))
def cut(s, sizes):
    out, i = [], 0
    for n in sizes:
        if i < len(s): out.append(s[i:i + n]); i += n
    if i < len(s): out.append(s[i:])
    return out
def every(s, n): return [s[i:i + n] for i in range(0, len(s), n)]
def ymd(r): return r.randint(1940, 2019), r.randint(1, 12), r.randint(1, 28)

# ---------- values ----------
def kr_id(r, foreign):
    y, m, d = ymd(r)
    s7 = (5 if foreign else 1) + (2 if y >= 2000 else 0) + r.randint(0, 1)
    reg = r.randint(0, 47) * 2 if foreign else r.randint(0, 95)
    b = f"{y % 100:02d}{m:02d}{d:02d}{s7}{reg:02d}{dig(r, 3)}"
    S = sum(int(c) * w for c, w in zip(b, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)))
    return b + str(((13 if foreign else 11) - S % 11) % 10)
def es_nif(r):
    T = "TRWAGMYFPDXBNJZSQVHLCKE"
    if r.random() < .6:
        n = f"{r.randint(500000, 79999999):08d}"
        return n + T[int(n) % 23]
    p, n = r.choice("XYZ"), dig(r, 7)
    return p + n + T[int(str("XYZ".index(p)) + n) % 23]
def fr_nir(r):
    y, m, _ = ymd(r)
    k = r.random()
    if k < .2: dep = r.choice(["2A", "2B"]) + f"{r.randint(1, 330):03d}"
    elif k < .3: dep = r.choice(["971", "972", "973", "974", "976"]) + f"{r.randint(1, 24):02d}"
    elif k < .42: dep = "99" + r.choice(["109", "127", "134", "139", "350", "351", "352", "326", "243"])
    else:
        dep = f"{r.choice([d for d in range(1, 96) if d != 20]):02d}" + f"{r.randint(1, 350):03d}"
    b = f"{r.randint(1, 2)}{y % 100:02d}{m:02d}{dep}{r.randint(1, 600):03d}"
    return b + f"{97 - int(b.replace('2A', '19').replace('2B', '18')) % 97:02d}"
def de_tax(r):
    while True:
        ds = list("0123456789"); r.shuffle(ds)
        if r.random() < .7: ten = ds[:9] + [ds[0]]
        else: ten = ds[:8] + [ds[0]] * 2
        r.shuffle(ten)
        s = "".join(ten)
        if s[0] != "0" and not re.search(r"(.)\1\1", s): break
    p = 10
    for c in s:
        t = (int(c) + p) % 10 or 10
        p = t * 2 % 11
    return s + str((11 - p) % 10)
ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]
def it_check(s):
    v = lambda c: int(c) if c.isdigit() else ord(c) - 65
    return UP[sum(ODD[v(c)] if i % 2 == 0 else v(c) for i, c in enumerate(s)) % 26]
SUR = "Rossi Ferrari Russo Bianchi Esposito Colombo Ricci Marino Greco Bruno Gallo Conti DeLuca Costa Fontana Fo Rizzo Moretti Barbieri Lombardi".upper().split()
NAM = "Mario Giulia Luca Anna Francesco Sara Alessandro Elena Matteo Chiara Giuseppe Paola Davide Marta Stefano Ilaria Gianfranco Ugo".upper().split()
def it_cf(r):
    def three(n, name):
        c = [x for x in n if x not in "AEIOU"]; v = [x for x in n if x in "AEIOU"]
        if name and len(c) >= 4: c = [c[0], c[2], c[3]]
        return ("".join(c + v) + "XXX")[:3]
    y, m, d = ymd(r)
    b = list(three(r.choice(SUR), False) + three(r.choice(NAM), True) + f"{y % 100:02d}" + "ABCDEHLMPRST"[m - 1]
             + f"{d + r.choice([0, 40]):02d}" + r.choice("H501 F205 F839 L219 D612 G273 A944 A662 C351 L736 D969 Z129 Z112 Z330 B354 I726".split()))
    if r.random() < .12:                                   # omocodia
        for i in [14, 13, 12, 10, 9, 7, 6][:r.randint(1, 3)]:
            if b[i].isdigit(): b[i] = "LMNPQRSTUV"[int(b[i])]
    return "".join(b) + it_check("".join(b))
def iban(r):
    c = r.choice(["DE", "FR", "GB", "NL", "ES", "IT"])
    if c == "DE":
        bank = r.choice("37040044 10070000 50010517 20041155 70020270 12030000 10050000 50070010 43060967 66050101".split())
        b, nat = bank + f"{r.randint(10000, 9999999999):010d}", [8, 10]
    elif c == "FR":
        bank, g = r.choice("30004 30003 10278 20041 14505 30002 17515 13807".split()), f"{r.randint(1, 9999):05d}"
        a = dig(r, 11) if r.random() < .7 else dig(r, 7) + r.choice("ABCEFKMRUXZ") + dig(r, 3)
        t = "".join(x if x.isdigit() else "12345678912345678923456789"[ord(x) - 65] for x in a)
        b, nat = bank + g + a + f"{97 - (89 * int(bank) + 15 * int(g) + 3 * int(t)) % 97:02d}", [5, 5, 11, 2]
    elif c == "GB":
        bk, so = r.choice([("NWBK", "60"), ("BARC", "20"), ("LOYD", "30"), ("MIDL", "40"), ("ABBY", "09"), ("HBUK", "40")])
        b, nat = bk + so + dig(r, 4) + dig(r, 8), [4, 6, 8]
    elif c == "NL":
        while True:
            a = "0" + str(r.randint(100000000, 999999999))
            if sum(int(x) * (10 - i) for i, x in enumerate(a)) % 11 == 0: break
        b, nat = r.choice("ABNA INGB RABO TRIO SNSB KNAB BUNQ".split()) + a, [4, 10]
    elif c == "ES":
        W = (1, 2, 4, 8, 5, 10, 9, 7, 3, 6)
        def k(s):
            x = 11 - sum(int(q) * w for q, w in zip(s, W)) % 11
            return {10: "1", 11: "0"}.get(x, str(x))
        e, a = r.choice(["2100", "0049", "0182", "2085", "0081", "2038"]) + f"{r.randint(1, 9999):04d}", dig(r, 10)
        b, nat = e + k("00" + e) + k(a) + a, [4, 4, 2, 10]
    else:
        x = r.choice("05428 03069 02008 01030 05034 07601 03032".split()) + r.choice("11101 03200 01600 02800 03400".split()) + \
            ("000000" + dig(r, 6) if r.random() < .7 else r.choice("CX") + dig(r, 11))
        b, nat = it_check(x) + x, [1, 5, 5, 12]
    t = "".join(x if x.isdigit() else str(ord(x) - 55) for x in b + c + "00")
    return f"{c}{98 - int(t) % 97:02d}{b}", nat
def phone(r, reg):
    """-> country code, trunk prefix, national groups without trunk"""
    mob = r.random() < .6
    p = r.choice
    first = lambda n: p("23456789") + dig(r, n - 1)
    if reg == "KR":
        if mob: return "82", "0", ["10", first(4), dig(r, 4)]
        return "82", "0", [p(["2", "31", "32", "51", "53", "42", "62", "64", "70"]), first(p([3, 4])) if r.random() < .99 else "", dig(r, 4)]
    if reg == "US":
        return "1", "", [p("212 415 312 206 617 713 305 646 702 503 404 214 310 512 720".split()), p("23456789") + p("02345678") + p("23456789"), dig(r, 4)]
    if reg == "GB":
        if mob: return "44", "0", [p(["77", "78", "79"]) + dig(r, 2), dig(r, 3), dig(r, 3)]
        return "44", "0", p([["20", p("378") + dig(r, 3), dig(r, 4)], [p(["121", "161", "113", "131"]), first(3), dig(r, 4)], [p(["1223", "1865", "1225", "1603"]), first(6)]])
    if reg == "DE":
        if mob: return "49", "0", [p("151 160 170 171 172 175 176 177 179 152".split())] + ([first(8)] if False else [first(4), dig(r, p([3, 4]))])
        return "49", "0", [p("30 40 69 89 221 711 6221 7531 351".split()), first(p([3, 4])), dig(r, p([3, 4]))]
    return "33", "0", [p("67" if mob else "123459"), dig(r, 2), dig(r, 2), dig(r, 2), dig(r, 2)]

# ---------- words ----------
COLS = {"PHONE": "mobile_no phone tel_number telefono telefon hp_no contact_phone 휴대폰번호 telephone handynummer cell_phone",
        "KR_RRN": "rrn jumin_no resident_reg_no 주민등록번호 ssn_kr jumin", "KR_FRN": "frn alien_reg_no 외국인등록번호 foreigner_reg_no arc_no",
        "ES_NIF": "nif dni nie nif_cliente documento_nif dni_nie", "FR_NIR": "nir num_secu no_ss numero_securite_sociale nir_assure",
        "DE_TAX_ID": "steuer_id steuerid idnr tax_id_de steuer_identnr", "IBAN_CODE": "iban iban_code cuenta_iban kunden_iban iban_beneficiaire codice_iban",
        "IT_FISCAL_CODE": "codice_fiscale cod_fiscale cf_cliente codfisc cod_fisc"}
NEUTRAL = "val3 memo x1 field_7 data note col12 c_04 attr2 text1 misc content v".split()
LAB = {"PHONE": {"KR": ["전화:", "휴대폰 ", "H.P) ", "연락처 : ", "☎ "], "US": ["Phone: ", "Cell:", "Ph# ", "Mobile - "], "GB": ["Tel.:", "Mob: ", "T: ", "Tel no. "],
                 "DE": ["Tel.:", "Handy: ", "Fon ", "Mobil: ", "Tel.-Nr. "], "FR": ["Tél. : ", "Tél ", "Port. : ", "Mobile : "]},
       "KR_RRN": ["주민번호 ", "주민등록번호: ", "주민번호:", "RRN: ", "(주민)", "생년월일/주민번호="], "KR_FRN": ["외국인등록번호 ", "외국인번호:", "ARC No. ", "Alien Reg. No: ", "등록번호(외국인) "],
       "ES_NIF": {"D": ["DNI: ", "NIF ", "D.N.I. nº ", "N.I.F.:", "DNI/NIF="], "N": ["NIE: ", "NIE ", "N.I.E. nº ", "NIF/NIE:"]},
       "FR_NIR": ["N° SS ", "NIR : ", "N° Sécu : ", "Sécurité sociale: ", "n° INSEE ", "SS:"], "DE_TAX_ID": ["IdNr ", "Steuer-ID: ", "IdNr. ", "Steuer-IdNr.:", "Steueridentifikationsnummer ", "TIN (DE): "],
       "IBAN_CODE": ["IBAN:", "IBAN ", "Iban : ", "IBAN-Nr. ", "IBAN=", "Konto/IBAN: "], "IT_FISCAL_CODE": ["C.F. ", "CF: ", "Cod. Fisc. ", "Codice Fiscale: ", "C.F.:", "cod.fisc.="]}
REM = {"PHONE": {"KR": [" 내선 3", " (회사)", " 본인", "(문자만)"], "US": [" ext 12", " x204", " (private)", " - leave voicemail"], "GB": [" (private)", " ext. 7", " (work)", " after 6pm"],
                 "DE": [" Durchwahl 5", " (privat)", " abends", " (gesch.)"], "FR": [" poste 21", " (bureau)", " le soir", " (domicile)"]},
       "KR_RRN": [" (본인)", " 배우자", "/확인완료", " (실명확인)"], "KR_FRN": [" (F-4)", " 체류", " (중국)", " /E-9 비자"], "ES_NIF": [" (titular)", " caducado", " - copia", " (cónyuge)"],
       "FR_NIR": [" (assuré)", " ayant droit", " - à vérifier", " (conjoint)"], "DE_TAX_ID": [" (Ehefrau)", " - geprüft", " (lt. Bescheid)", " Kind 1"],
       "IBAN_CODE": [" (joint account)", " - Gehaltskonto", " (compte courant)", " BIC siehe Akte", " cuenta nueva"], "IT_FISCAL_CODE": [" (coniuge)", " - verificato", " intestatario", " (provvisorio)"]}
KEY = {"PHONE": "phone", "KR_RRN": "rrn", "KR_FRN": "alienRegNo", "ES_NIF": "nif", "FR_NIR": "nir", "DE_TAX_ID": "steuerId", "IBAN_CODE": "iban", "IT_FISCAL_CODE": "codiceFiscale"}
NOUN = {  # ko en de fr es it
    "PHONE": ["전화번호", "phone number", "Telefonnummer", "numéro de téléphone", "número de teléfono", "numero di telefono"],
    "KR_RRN": ["주민등록번호", "Korean resident number", "koreanische Personennummer", "numéro de résident coréen", "número de residente coreano", "numero di residente coreano"],
    "KR_FRN": ["외국인등록번호", "Korean alien registration number", "koreanische Ausländernummer", "numéro d'étranger en Corée", "número de extranjero en Corea", "numero di straniero in Corea"],
    "ES_NIF": ["스페인 NIF 번호", "Spanish NIF", "spanische NIF", "NIF espagnol", "NIF", "NIF spagnolo"],
    "FR_NIR": ["프랑스 사회보장번호", "French social security number", "französische Sozialversicherungsnummer", "numéro de sécurité sociale", "número de la seguridad social francesa", "numero di previdenza francese"],
    "DE_TAX_ID": ["독일 세금 번호(Steuer-ID)", "German tax ID", "Steuer-ID", "identifiant fiscal allemand", "identificador fiscal alemán", "codice fiscale tedesco (IdNr)"],
    "IBAN_CODE": ["계좌 IBAN", "IBAN", "IBAN", "IBAN", "IBAN", "IBAN"],
    "IT_FISCAL_CODE": ["이탈리아 세금코드", "Italian codice fiscale", "italienische Steuernummer (codice fiscale)", "code fiscal italien", "código fiscal italiano", "codice fiscale"]}
SENT = [["안녕하세요 {n} {v}입니다. 확인 부탁드려요", "고객님 {n}는 {v}이고 내일 처리됩니다.", "{n}를 {v}로 변경해주세요"],
        ["Hi, my {n} is {v}, thanks!", "Please update the {n} to {v}.", "customer gave {n} {v} and asked for a callback"],
        ["Meine {n} lautet {v}. Danke!", "Bitte {n} {v} im System ändern, MfG", "Neue {n} ({v}) eingetragen."],
        ["Bonjour, mon {n} est le {v}, merci.", "Merci de noter le {n} : {v}.", "Le client a donné {v} comme {n}"],
        ["Hola, mi {n} es {v}, gracias.", "Cambiar {n} por {v}; avisar al cliente", "¿Es correcto el {n} {v}?"],
        ["Buongiorno, il mio {n} è {v}. Grazie", "Aggiornare {n} con {v}, per favore", "Il cliente ha comunicato {v} come {n}."]]

FW = str.maketrans({c: chr(c + 0xFEE0) for c in range(0x21, 0x7F)})
FWD = str.maketrans("0123456789", "０１２３４５６７８９")
AR = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
FA = str.maketrans("0123456789", "۰۱۲۳۴۵۶۷۸۹")

class X: pass
def make(r, kind, reg, zero=False):
    x = X(); x.kind, x.reg, x.cc = kind, reg, None
    while True:
        if kind == "PHONE":
            x.cc, x.tr, n = phone(r, reg); x.n = n
            x.nat = [x.tr + n[0]] + n[1:]
            x.intl = r.random() < .35
            x.g = ["+" + x.cc] + n if x.intl else x.nat
            f = "".join(x.nat)
            x.a = r.choice([every(f, 2), every(f, 3), every(f, 4), cut(f, [4, 3, 4]), cut(f, [5, 6]), cut(f, [3, 2, 3])])
        elif kind in ("KR_RRN", "KR_FRN"):
            f = kr_id(r, kind == "KR_FRN"); x.g = cut(f, [6, 7])
            x.a = cut(f, r.choice([[2, 2, 2, 7], [6, 1, 6], [3, 3, 7], [6, 3, 4], [4, 4, 5], [2, 2, 2, 1, 6], [7, 6]]))
        elif kind == "ES_NIF":
            f = es_nif(r); d = f[0].isdigit()
            x.g = cut(f, [8, 1]) if d else cut(f, [1, 7, 1])
            x.a = cut(f, r.choice([[2, 3, 3, 1], [4, 4, 1], [2, 2, 2, 2, 1], [3, 3, 2, 1]] if d else [[1, 1, 3, 3, 1], [1, 4, 3, 1], [1, 3, 4, 1], [4, 4, 1]]))
        elif kind == "FR_NIR":
            f = fr_nir(r); x.g = cut(f, [1, 2, 2, 2, 3, 3, 2])
            x.a = cut(f, r.choice([[13, 2], [1, 4, 2, 6, 2], [5, 5, 5], [3, 2, 5, 3, 2], [1, 2, 2, 5, 3, 2], [3, 3, 3, 3, 3], [5, 2, 3, 3, 2]]))
        elif kind == "DE_TAX_ID":
            f = de_tax(r); x.g = cut(f, [2, 3, 3, 3]); x.a = cut(f, r.choice([[3, 3, 3, 2], [4, 4, 3], [3, 4, 4], [5, 6], [10, 1], [2, 2, 2, 2, 3], [3, 3, 5]]))
        elif kind == "IBAN_CODE":
            f, nat = iban(r); x.g = every(f, 4); x.natg = cut(f, [2, 2] + nat)
            x.a = r.choice([every(f, 5), every(f, 3), cut(f, [4] + nat), cut(f, [2, 2] + nat), cut(f, [2, 4, 4, 4, 4, 4, 4]), every(f, 2)])
        else:
            f = it_cf(r); x.g = cut(f, [6, 5, 4, 1]) if r.random() < .5 else cut(f, [3, 3, 5, 5])
            x.a = cut(f, r.choice([[4, 4, 4, 4], [8, 8], [3, 3, 2, 1, 2, 4, 1], [6, 2, 1, 2, 5], [15, 1], [5, 5, 6]]))
        x.f = "".join(x.g) if kind == "PHONE" else f
        if not zero or "".join(x.nat if kind == "PHONE" else [f])[0] == "0": break
        if kind == "PHONE": x.intl = False; break
    lab, rem = LAB[kind], REM[kind]
    if kind == "PHONE": lab, rem = lab[reg], rem[reg]
    if kind == "ES_NIF": lab = lab["D" if f[0].isdigit() else "N"]
    x.lab, x.rem = r.choice(lab), r.choice(rem)
    x.key, x.noun = KEY[kind], NOUN[kind]
    sep = {"PHONE": {"KR": "-", "US": "-", "GB": " ", "DE": " ", "FR": r.choice(" .")}.get(reg), "KR_RRN": "-", "KR_FRN": "-", "ES_NIF": "-"}.get(kind, " ")
    x.u = r.choice([sep.join(x.g), sep.join(x.g), x.f])      # usual form
    x.o = sep.join(x.g)                                      # official form
    x.sep = sep
    return x

# ---------- ways: name -> (state, function); state T told, S structured, B bare ----------
G = {}
def way(name, st, fn, d=None): (G if d is None else d)[name] = (st, fn)
for nm, s, st in [("dots", ".", "S"), ("slashes", "/", "B"), ("commas", ",", "B"), ("double_space", "  ", "S"), ("nbsp", "\u00a0", "S"), ("en_dash", "–", "S"), ("minus_sign", "−", "S"),
                  ("middle_dot", "·", "B"), ("underscore", "_", "B"), ("tilde", "~", "B"), ("em_dash_spaced", " — ", "S"), ("spaced_hyphen", " - ", "S"), ("tab", "\t", "S"),
                  ("pipe", "|", "B"), ("fullwidth_hyphen", "－", "S"), ("nb_hyphen", "\u2011", "S"), ("colon", ":", "B"), ("backslash", "\\", "B"), ("bullet", " • ", "B"), ("linebreak_in", "\n", "S"), ("plus_sep", "+", "B")]:
    way("sep_" + nm, st, lambda r, x, s=s: s.join(x.g))
way("sep_unicode_space", "S", lambda r, x: r.choice("\u2009\u202f\u2003\u2007\u3000\u2002\u205f\u200a").join(x.g))
way("sep_mixed", "S", lambda r, x: "".join(g + (r.choice(["-", " ", ".", "/", " - "]) if i < len(x.g) - 1 else "") for i, g in enumerate(x.g)))
way("official", "S", lambda r, x: x.o)
way("plain", "B", lambda r, x: x.f)
way("regroup_space", "B", lambda r, x: " ".join(x.a))
way("regroup_other", "B", lambda r, x: r.choice("-./·").join(x.a))
way("every_char_spaced", "B", lambda r, x: " ".join(x.f))
way("fullwidth", "S", lambda r, x: x.o.translate(FW))
way("fullwidth_flat", "B", lambda r, x: x.f.translate(FWD))
way("fullwidth_half_mixed", "S", lambda r, x: x.sep.join(g.translate(FWD) if i % 2 else g for i, g in enumerate(x.g)))
way("arabic_indic", "S", lambda r, x: x.o.translate(r.choice([AR, FA])))
way("label", "T", lambda r, x: x.lab + x.u)
way("label_glued", "T", lambda r, x: x.lab.strip(" :=.-") + r.choice(["", ":", "#"]) + x.f)
way("label_and_remark", "T", lambda r, x: x.lab + x.u + x.rem)
way("label_newline", "T", lambda r, x: x.lab.strip() + r.choice(["\n", "\r\n"]) + x.o)
way("label_behind", "T", lambda r, x: f"{x.u} [{x.lab.strip(' :=-')}]")
way("remark", "S", lambda r, x: x.o + x.rem)
way("quotes", "S", lambda r, x: (lambda q: q[0] + x.o + q[1])(r.choice(['""', "''", "«»", "“”", "„“", "``", "「」"])))
way("brackets", "S", lambda r, x: (lambda q: q[0] + x.o + q[1])(r.choice(["()", "[]", "{}", "<>", "【】", "（）"])))
way("json", "T", lambda r, x: r.choice(['{"%s":"%s"}', '"%s": "%s",', '{"id":17,"%s":"%s","ok":true}', '{\\"%s\\":\\"%s\\"}']) % (x.key, x.u))
way("xml", "T", lambda r, x: r.choice(["<{k}>{v}</{k}>", '<row {k}="{v}"/>', "<ns:{k} xml:lang='x'>{v}</ns:{k}>", "<![CDATA[{k}={v}]]>"]).format(k=x.key, v=x.u))
def pct(s): return "".join(c if c.isalnum() and c.isascii() or c in "-._" else "".join("%%%02X" % b for b in c.encode()) for c in s)
way("url_percent", "T", lambda r, x: r.choice(["?%s=%s", "%s=%s&lang=de", "https://example.org/f?a=1&%s=%s"]) % (x.key, pct(x.o)))
way("url_plus_space", "T", lambda r, x: f"{x.key}=" + "+".join(pct(g) for g in x.g) + "&x=1")
way("url_bare_percent20", "S", lambda r, x: "%20".join(pct(g) for g in x.g))
way("sql_literal", "S", lambda r, x: r.choice(["'%s'", "N'%s'", "('%s', NULL, 3)", "E'%s'", "CAST('%s' AS VARCHAR(40))"]) % x.o)
way("sql_where", "T", lambda r, x: f"SELECT * FROM t WHERE {x.key} = '{x.u}'")
way("excel_apostrophe", "S", lambda r, x: "'" + x.u)
way("excel_formula", "S", lambda r, x: f'="{x.u}"')
way("csv_quoted_triple", "S", lambda r, x: f'"""{x.u}"""')
way("lower", "S", lambda r, x: x.u.lower())
way("zero_width", "S", lambda r, x: r.choice(["\u200b", "\u200c", "\u2060", "\u200d"]).join(x.g))
way("zero_width_inside", "S", lambda r, x: (lambda i: x.o[:i] + "\u200b" + x.o[i:])(r.randint(2, len(x.o) - 2)))
way("bom", "S", lambda r, x: "\ufeff" + x.u)
way("soft_hyphen", "S", lambda r, x: "\u00ad".join(x.g))
way("rtl_marks", "S", lambda r, x: r.choice(["\u202a%s\u202c", "\u200e%s", "\u200f%s\u200f", "\u202d%s\u202c", "\u2068%s\u2069"]) % x.o)
way("padded", "S", lambda r, x: r.choice(["   %s", "%s    ", "\t%s\n", "\u00a0%s\u00a0", "%s\r\n", "\u3000%s"]) % x.u)
way("two_values", "S", lambda r, x: x.o + r.choice([" / ", ", ", ";", "\n", " | ", " & ", "<br>"]) + x.two.o)
way("two_values_numbered", "S", lambda r, x: f"1) {x.o} 2) {x.two.o}")
way("two_values_flat", "B", lambda r, x: x.f + r.choice([",", ";", " "]) + x.two.f)
for li, lg in enumerate(["ko", "en", "de", "fr", "es", "it"]):
    way("sentence_" + lg, "T", lambda r, x, li=li: r.choice(SENT[li]).format(n=x.noun[li], v=x.u))
way("html_entity", "S", lambda r, x: r.choice(["&nbsp;", "&#45;", "&#160;", "&ndash;", "&#x2D;", "&thinsp;"]).join(x.g))
way("html_tag", "S", lambda r, x: r.choice(["<b>%s</b>", "<td>%s</td>", "&quot;%s&quot;", "<span class=\"n\">%s</span>&nbsp;", "&lt;%s&gt;"]) % x.o)
way("name_before", "S", lambda r, x: r.choice(["김민수 ", "J. Miller, ", "Müller, Anna; ", "M. Dupont - ", "García López: ", "Bianchi Sara "]) + x.o)
way("trailing_punct", "S", lambda r, x: x.o + r.choice([".", ",", ";", "!", "?", "。", ")"]))
way("log_line", "T", lambda r, x: f"2024-03-{r.randint(10, 28)} 09:{r.randint(10, 59)} INFO {x.key}={x.u} status=OK")
way("group_brackets", "S", lambda r, x: "".join(f"[{g}]" for g in x.g))

P = {k: {} for k in KINDS}
p = P["PHONE"]
for nm, f in {"cc_00": lambda r, x: "00" + x.cc + r.choice(["", " ", "-"]) + x.sep.join(x.n), "cc_00_glued": lambda r, x: "00" + x.cc + "".join(x.n),
              "cc_plus_trunk_paren": lambda r, x: f"+{x.cc} ({x.tr or '1'}){x.sep.join(x.n)}" if x.tr else f"+1 ({x.n[0]}) {x.n[1]}-{x.n[2]}",
              "cc_paren_plus": lambda r, x: f"(+{x.cc}) " + x.sep.join(x.nat), "cc_paren_plus_tight": lambda r, x: f"(+{x.cc})" + "".join(x.n),
              "cc_no_plus": lambda r, x: x.cc + "-" + "-".join(x.n), "cc_plus_space": lambda r, x: "+ " + x.cc + " " + " ".join(x.n),
              "cc_plus_keep_trunk": lambda r, x: "+" + x.cc + x.sep + x.sep.join(x.nat), "e164": lambda r, x: "+" + x.cc + "".join(x.n),
              "cc_fullwidth_plus": lambda r, x: "＋" + x.cc + "-" + "-".join(x.n), "cc_dial_011": lambda r, x: ("011 " if x.cc != "1" else "001 ") + x.cc + " " + " ".join(x.n),
              "cc_iso_before": lambda r, x: f"{x.reg} +{x.cc} " + " ".join(x.n), "cc_iso_paren_behind": lambda r, x: x.sep.join(x.nat) + f" ({x.reg})",
              "area_paren": lambda r, x: f"({x.nat[0]}) " + x.sep.join(x.nat[1:]), "area_paren_tight": lambda r, x: f"({x.nat[0]})" + "-".join(x.nat[1:]),
              "area_slash": lambda r, x: x.nat[0] + "/" + "".join(x.nat[1:]), "area_slash_spaced": lambda r, x: x.nat[0] + " / " + " ".join(x.nat[1:]), "area_close_paren": lambda r, x: x.nat[0] + ")" + "-".join(x.nat[1:]),
              "din5008": lambda r, x: f"+{x.cc} {x.n[0]} {''.join(x.n[1:])}"}.items(): way(nm, "S", f, p)
for nm, f in {"tel_uri": lambda r, x: "tel:" + r.choice(["+" + x.cc + "".join(x.n), "+" + x.cc + "-" + "-".join(x.n), "".join(x.nat)]),
              "tel_href": lambda r, x: f'<a href="tel:+{x.cc}{"".join(x.n)}">{x.sep.join(x.nat)}</a>', "wa_me": lambda r, x: f"https://wa.me/{x.cc}{''.join(x.n)}",
              "sip_uri": lambda r, x: f"sip:+{x.cc}{''.join(x.n)}@example.com;user=phone", "rfc3966_ext": lambda r, x: f"tel:+{x.cc}{''.join(x.n)};ext={r.randint(1, 99)}",
              "vcard": lambda r, x: f"TEL;TYPE={r.choice(['CELL', 'HOME,VOICE', 'WORK'])}:+{x.cc}-{'-'.join(x.n)}", "call_me": lambda r, x: {
                  "KR": "{}로 전화주세요", "US": "call me at {} plz", "GB": "ring us on {} before noon", "DE": "bin unter {} erreichbar", "FR": "joignable au {} l'après-midi"}[x.reg].format(x.u),
              "emoji": lambda r, x: r.choice(["📞", "📱 ", "☎️ "]) + x.u, "ext_compact": lambda r, x: x.o + r.choice(["x12", " ext 12", "#3", " Ext.204", ",,5"])}.items(): way(nm, "T", f, p)
for nm, f in {"float_lost_zero": lambda r, x: "".join(x.n) + ".0", "lost_zero": lambda r, x: "".join(x.n), "cc_digits_only": lambda r, x: x.cc + "".join(x.n), "national_flat": lambda r, x: "".join(x.nat),
              "lost_zero_grouped": lambda r, x: x.sep.join(x.n), "thousands": lambda r, x: f"{int(''.join(x.n)):,}", "sci": lambda r, x: (lambda s: s[0] + "." + s[1:] + "E+%02d" % (len(s) - 1))(x.cc + "".join(x.n))}.items(): way(nm, "B", f, p)
del G["sep_plus_sep"]

def sci(s): s = str(int(s)); return s[0] + "." + s[1:] + "E+%02d" % (len(s) - 1)
for k in ("KR_RRN", "KR_FRN", "DE_TAX_ID"):
    d = P[k]
    way("float", "B", lambda r, x: str(int(x.f)) + ".0", d)
    way("thousands", "B", lambda r, x: f"{int(x.f):{r.choice([',', '_'])}}", d)
    way("sci_full", "B", lambda r, x: sci(x.f), d)
    way("list_json", "B", lambda r, x: f"[{x.f}]", d)
for k in ("KR_RRN", "KR_FRN"):
    d = P[k]
    way("lost_zero", "B", lambda r, x: x.f.lstrip("0"), d)
    way("lost_zero_hyphen", "S", lambda r, x: x.g[0].lstrip("0") + "-" + x.g[1], d)
    way("birth_dots", "S", lambda r, x: ".".join(every(x.g[0], 2)) + r.choice(["-", " ", ". "]) + x.g[1], d)
    way("birth_words", "S", lambda r, x: "{}년 {}월 {}일 - ".format(*every(x.g[0], 2)) + x.g[1], d)
    way("back_in_paren", "S", lambda r, x: f"{x.g[0]}({x.g[1]})", d)
    way("front_back_words", "T", lambda r, x: f"주민번호 앞자리 {x.g[0]} 뒷자리 {x.g[1]}" if x.kind == "KR_RRN" else f"외국인등록번호 앞 {x.g[0]} 뒤 {x.g[1]}", d)
    way("back_line", "S", lambda r, x: x.g[0] + " -\n" + x.g[1], d)
    way("sex_suffix", "S", lambda r, x: f"{x.o} ({'남' if int(x.f[6]) % 2 else '여'})", d)
    way("hangul_dash", "S", lambda r, x: x.g[0] + r.choice(["ㅡ", "ー", "─"]) + x.g[1], d)
    way("josa", "T", lambda r, x: f"{x.noun[0]}가 {x.f}인데요", d)
d = P["ES_NIF"]
way("letter_hyphen", "S", lambda r, x: x.f[:-1] + "-" + x.f[-1], d)
way("letter_space", "S", lambda r, x: x.f[:-1] + " " + x.f[-1], d)
def esd(x, s): return (x.f[0] + s if x.f[0] in "XYZ" else ""), f"{int(x.f[:-1].lstrip('XYZ')):,}"
way("thousand_dots", "S", lambda r, x: "".join(esd(x, "-")).replace(",", ".") + r.choice(["-", " ", ""]) + x.f[-1], d)
way("thousand_commas", "S", lambda r, x: "".join(esd(x, "")) + r.choice(["-", ""]) + x.f[-1], d)
way("es_prefix", "S", lambda r, x: r.choice(["ES", "ES-", "ES "]) + x.f, d)
way("lost_zero", "S", lambda r, x: x.f.lstrip("0"), d)
way("letter_paren", "S", lambda r, x: f"{x.f[:-1]} ({x.f[-1]})", d)
way("letra_word", "T", lambda r, x: f"{x.f[:-1]} letra {x.f[-1]}", d)
way("letter_slash", "S", lambda r, x: x.f[:-1] + "/" + x.f[-1], d)
way("lower_letter", "S", lambda r, x: x.f[:-1] + x.f[-1].lower(), d)
way("idesp", "T", lambda r, x: f"Documento nacional nº {x.f}, expedido en Madrid", d)
d = P["FR_NIR"]
way("cle_word", "T", lambda r, x: x.f[:13] + r.choice([" clé ", " Clé : ", " cle "]) + x.f[13:], d)
way("cle_slash", "S", lambda r, x: " ".join(x.g[:-1]) + " / " + x.f[13:], d)
way("cle_paren", "S", lambda r, x: " ".join(x.g[:-1]) + f" ({x.f[13:]})", d)
way("cle_hyphen", "B", lambda r, x: x.f[:13] + "-" + x.f[13:], d)
way("cle_line", "S", lambda r, x: " ".join(x.g[:-1]) + "\n" + x.f[13:], d)
way("pipe_key", "S", lambda r, x: " ".join(x.g[:-1]) + " | " + x.f[13:], d)
way("sci_full", "B", lambda r, x: sci(x.f) if x.f.isdigit() else x.f, d)
way("float", "B", lambda r, x: x.f + ".0" if x.f.isdigit() else x.f + " ", d)
way("carte_vitale", "T", lambda r, x: f"Carte Vitale {x.o}", d)
way("thin_nbsp_groups", "S", lambda r, x: "\u202f".join(x.g), d)
d = P["DE_TAX_ID"]
way("idnr_behind", "T", lambda r, x: f"{x.f} (Steuer-ID)", d)
way("elster", "T", lambda r, x: f"<Identifikationsnummer>{x.f}</Identifikationsnummer>", d)
way("elster_kz", "T", lambda r, x: f"ELSTER IdNr Ehemann: {' '.join(x.g)}", d)
way("thousand_dots", "B", lambda r, x: f"{int(x.f):,}".replace(",", "."), d)
way("swiss_thousands", "B", lambda r, x: f"{int(x.f):,}".replace(",", "'"), d)
way("check_apart", "B", lambda r, x: x.f[:10] + r.choice(["-", " ", "/"]) + x.f[10], d)
way("leading_de", "S", lambda r, x: r.choice(["DE ", "DE-", "D "]) + " ".join(x.g), d)
d = P["IBAN_CODE"]
way("country_apart", "S", lambda r, x: x.f[:2] + " " + x.f[2:], d)
way("check_apart", "S", lambda r, x: x.f[:2] + r.choice(["-", " "]) + x.f[2:4] + r.choice(["-", " "]) + x.f[4:], d)
way("national_parts", "S", lambda r, x: r.choice([" ", "-", "/", "."]).join(x.natg), d)
way("iban_glued", "T", lambda r, x: "IBAN" + x.f, d)
way("electronic", "S", lambda r, x: x.f, d)
way("lower_flat", "S", lambda r, x: x.f.lower(), d)
way("lower_spaced", "S", lambda r, x: " ".join(x.g).lower(), d)
way("mixed_case", "S", lambda r, x: x.f[0] + x.f[1:].lower(), d)
way("with_bic", "T", lambda r, x: f"IBAN {x.o} BIC {x.f[4:8] if x.f[4:8].isalpha() else 'COBA'}{x.f[:2]}2A", d)
way("slash_bic", "S", lambda r, x: f"{x.f}/COBADEFFXXX", d)
way("mt103", "T", lambda r, x: f":59:/{x.f}\nMULLER ANNA", d)
way("sepa_xml", "T", lambda r, x: f"<CdtrAcct><Id><IBAN>{x.f}</IBAN></Id></CdtrAcct>", d)
way("epc_qr", "T", lambda r, x: f"BCD\n002\n1\nSCT\n\nAnna Muller\n{x.f}\nEUR12.30", d)
way("payto", "T", lambda r, x: f"payto://iban/{x.f}?amount=EUR:12", d)
way("two_lines", "S", lambda r, x: " ".join(x.g[:3]) + "\n" + " ".join(x.g[3:]), d)
d = P["IT_FISCAL_CODE"]
way("lower_flat", "S", lambda r, x: x.f.lower(), d)
way("title_case", "S", lambda r, x: x.f.capitalize(), d)
way("lower_spaced", "S", lambda r, x: " ".join(x.g).lower(), d)
way("check_hyphen", "S", lambda r, x: x.f[:15] + "-" + x.f[15], d)
way("it_prefix", "S", lambda r, x: r.choice(["IT", "IT-", "IT "]) + x.f, d)
way("tinit", "T", lambda r, x: f"TINIT-{x.f}", d)
way("letters_digits_split", "S", lambda r, x: " ".join([x.f[:3], x.f[3:6], x.f[6:8], x.f[8], x.f[9:11], x.f[11:15], x.f[15]]), d)
way("cf_paren", "T", lambda r, x: f"Bianchi Anna (CF {x.f})", d)
way("cf_slash_piva", "T", lambda r, x: f"C.F./P.IVA {x.f}", d)
way("born_in", "T", lambda r, x: f"nato a Roma, C.F. {x.o}, residente a Milano", d)
way("fattura_xml", "T", lambda r, x: f"<CodiceFiscale>{x.f}</CodiceFiscale>", d)
way("asterisks", "S", lambda r, x: f"*{x.f}*", d)

def ways(kind):
    w = dict(G); w.update(P[kind])
    if kind in ("PHONE", "KR_RRN", "KR_FRN", "DE_TAX_ID"): w.pop("lower", None)   # no letters
    return w

def main():
    n, seed, out = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    r = random.Random(seed)
    decks, W = {k: [] for k in KINDS}, {k: ways(k) for k in KINDS}
    regs, rows = [], []
    for i in range(n):
        kind, reg = KINDS[i % len(KINDS)], None
        if kind == "PHONE":
            if not regs: regs = ["KR", "US", "GB", "DE", "FR"]; r.shuffle(regs)
            reg = regs.pop()
        if not decks[kind]:
            decks[kind] = list(W[kind]); r.shuffle(decks[kind])
        sub = decks[kind].pop()
        st, fn = W[kind][sub]
        x = make(r, kind, reg, zero=sub.startswith("lost_zero") or (kind == "PHONE" and "lost_zero" in sub))
        x.two = make(r, kind, reg)
        v = fn(r, x)
        tell = r.random() < .5
        col = r.choice(COLS[kind].split() if tell else NEUTRAL)
        letters = kind in ("ES_NIF", "IBAN_CODE", "IT_FISCAL_CODE") or (kind == "FR_NIR" and x.f[5:7] in ("2A", "2B"))
        bare = st == "B" or (st == "S" and (re.sub(r"[\s\W_]", "", v).isdigit() and (
            kind == "DE_TAX_ID" or re.fullmatch(r"\W*\d{9,15}\W*", v) and "+" not in v
            or re.fullmatch(r"\D*\d{9,15}\D*", re.sub("[\u200b-\u200f\u2060\u00ad\ufeff]", "", v)) and "+" not in v)))
        if kind == "PHONE" and sub in ("plain", "two_values_flat", "every_char_spaced", "fullwidth_flat") and "+" in x.f: bare = False
        row = {"value": v, "kind": kind, "column": col, "comment": "", "sub": sub, "ambiguous": bool(bare and not tell and not letters)}
        if reg: row["region"] = reg
        rows.append(row)
    r.shuffle(rows)
    with open(out, "w", encoding="utf-8") as f:
        for row in rows: f.write(json.dumps(row, ensure_ascii=False) + "\n")

if __name__ == "__main__":
    main()
