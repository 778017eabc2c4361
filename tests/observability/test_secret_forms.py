"""Secrets are known by their form, and what only resembles one stays."""

import json
from base64 import b64encode
from urllib.parse import quote

import pytest

from minerva_observability import Masking

NONE = Masking({})
CORE = "Ab0" * 14
PEM = f"-----BEGIN RSA PRIVATE KEY-----\nMIIE{CORE}\n{CORE}\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"
SECRETS = [
    "sk-proj-abcDEF123_456",
    "sk-ant-api03-canary",
    "pk-live01234567",
    "sk_live_0123456789",
    "whsec_0123456789abcdef",
    "ghp_0123456789abcdefABCDEF",
    "github_pat_0123456789_abcdefghij",
    "glpat-0123456789abcdefghij",
    "xoxb-0123456789-abc",
    "xapp-1-A012-0123456789",
    "AKIAIOSFODNN7EXAMPLE",
    "ASIAIOSFODNN7EXAMPLE",
    f"AIza{CORE}",
    f"ya29.{CORE}",
    f"GOCSPX-{CORE}",
    "abc8Q~0123456789abcdefghij.klmnop_qrst",
    f"hf_{CORE}",
    f"gsk_{CORE}",
    f"lsv2_pt_{CORE}",
    f"npm_{CORE}",
    f"pypi-{CORE}",
    f"dapi{'0123456789abcdef' * 2}",
    f"hvs.{CORE}",
    f"SG.{CORE}.{CORE}",
    JWT,
    "900101-1234567",
    "851231 - 2000000",
    PEM,
]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_masked_alone_and_in_a_sentence(secret: str) -> None:
    """With Korean glued to both of its ends, too: particles follow without a space."""
    assert NONE.mask_text(secret) == "[masked]"
    assert NONE.mask_text(f"키는{secret}입니다") == "키는[masked]입니다"
    assert NONE.mask_text(f"refused '{secret}', again") == "refused '[masked]', again"
    assert NONE.mask_text(NONE.mask_text(f"once {secret} more")) == "once [masked] more"


@pytest.mark.parametrize("secret", [secret for secret in SECRETS if "01-" not in secret][:-3])
def test_a_secret_is_masked_in_other_spellings(secret: str) -> None:
    """As JSON, in base64 behind anything, and where an address would have it."""
    assert secret not in NONE.mask_text(json.dumps({"what": {"ever": secret}}))
    for before in ("", "u:", "user:", "한글"):
        encoded = b64encode(f"{before}{secret} and more".encode()).decode()
        assert NONE.mask_text(f"got {encoded.rstrip('=')} here") == "got [masked] here"
    assert quote(f"key={secret}", safe="") not in NONE.mask_text(quote(f"key={secret}", safe=""))


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Authorization: Bearer abc.def-123456", "Authorization: Bearer [masked]"),
        ("{'authorization': 'Token abcdef123456'}", "{'authorization': 'Token [masked]'}"),
        ('{"Authorization": "abcdef123456", "a": 1}', '{"Authorization": "[masked]", "a": 1}'),
        ("basic dXNlcjpwYXNzd29yZDE= was refused", "basic [masked] was refused"),
        ("Cookie: session=abc; id=2\nHost: x", "Cookie: [masked]\nHost: x"),
        ("set-cookie: a=b; HttpOnly", "set-cookie: [masked]"),
        ("postgresql://minerva:hunter2@db/x", "postgresql://[masked]@db/x"),
        ("redis://:p@ss:word@db:6379/0", "redis://[masked]@db:6379/0"),
        ("https://0123456789abcdefghij@host/x", "https://[masked]@host/x"),
        ("postgresql%3A%2F%2Fme%3Ahunter2%40db failed", "[masked] failed"),
        ("api_key='0123456789'", "api_key='[masked]'"),
        ('{"password": "hunter22"}', '{"password": "[masked]"}'),
        ('{"password": "correct \\"horse\\" staple"}', '{"password": "[masked]"}'),
        (r'"{\"password\": \"hunter22\"}"', r'"{\"password\": \"[masked]\"}"'),
        ("PGPASSWORD=abc psql", "PGPASSWORD=[masked] psql"),
        ("pwd=ab12;Encrypt=yes", "pwd=[masked];Encrypt=yes"),
        ("OPENAI_API_KEY=abcdefgh", "OPENAI_API_KEY=[masked]"),
        ("AWS_SECRET_ACCESS_KEY: wJalrXUtnFEMI/K7MDENG", "AWS_SECRET_ACCESS_KEY: [masked]"),
        ("AccountName=x;AccountKey=abc+/def==;", "AccountName=x;AccountKey=[masked];"),
        ("?sv=2024&sig=abc%2Bdef&se=1", "[masked]"),
        ("비밀번호: hunter22", "비밀번호: [masked]"),
        ("비밀번호는 = hunter22", "비밀번호는 = [masked]"),
        ("토큰=abcdef12", "토큰=[masked]"),
        ('"private_key": "-----BEGIN PRIVATE KEY-----\\nMII', '"private_key": "[masked]'),
        ("key -----BEGIN OPENSSH PRIVATE KEY-----\nabc", "key [masked]"),
    ],
)
def test_secrets_are_known_by_what_stands_before_them(text: str, masked: str) -> None:
    """Headers, addresses, settings and connection strings, in English and Korean."""
    assert NONE.mask_text(text) == masked
    assert NONE.mask_text(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "no_route",
        "the task-list of the risk-register, asked by the desk-officer",
        "column PT_ID has a pk-constraint; see rk-mapping",
        "환자 식별 컬럼의 표준 약어를 찾지 못했습니다.",
        "비밀번호 컬럼은 암호화되어야 합니다. 암호: 만료되었습니다",
        "토큰이 3개 남았습니다",
        "3 tokens left of 4,000",
        "the token expired; token: missing, password: required",
        "def login(user: str, password: str, token: string = None) -> bool:",
        "password=None, secret=None, token=true",
        "https://example.org:8080/a@b",
        "https://example.org/a/b?page=2&design=abcdef",
        "basic statistics of the bearer certificates",
        "a cookie: it is sweet",
        "authorization: failed for the user",
        "550e8400-e29b-41d4-a716-446655440000",
        "12345678-9001-0112-3456-789012345678",
        "2024-01-31T09:00:00.000Z took 900101 ms",
        "130101-9234567 and 991301-1234567",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "/usr/lib/python3.11/site-packages/minerva_platform/models/provider_errors.py:88, in read",
        "C:\\Users\\me\\Documents\\report.md",
        "platform/data/RetrievalAgentForStandardNames/retrieval_agent#2",
        "TooManyRequestsErrorFromTheProvider",
        "SELECT PT_ID, PT_RSNO FROM TB_PATIENT WHERE key = 'A'",
        "for key in sorted(keys): print(key)",
        "100 % of 50 %, 20%25",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    """A mask over everything would make records worthless."""
    assert NONE.mask_text(text) == text


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [
        *("eyJ-", "eyJ_aaaaaaaa", "://a:", "sk-", "%41", "password=", "cookie: ", "Bearer "),
        *("-----BEGIN PRIVATE KEY", "input_value=", 'token="\\', "aB3" * 7 + " ", "900101-"),
    ],
)
def test_no_text_costs_much(part: str) -> None:
    """Whoever writes the message of an error must not be able to stop the run with it."""
    text = part * (1_000_000 // len(part))

    assert len(NONE.mask_text(text)) <= len(text)  # back-tracking over it would take days
