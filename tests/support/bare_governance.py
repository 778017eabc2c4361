"""What the governance team says where none of its extras is installed.

Run by `tests/isolated.py` with the interpreter of a fresh environment that holds no test tools; it
ends with a sentence, and with 1 if the team does not import or does not name what to install.
"""

import pkgutil
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

EXTRAS = ("cyclonedx", "license_expression", "packageurl", "phonenumbers", "stdnum")
"""The modules of the extras `numbers` and `sbom`."""
FILES = {
    "policy.yaml": """\
apiVersion: minerva/v1
policy: {id: bare}
rules:
- {id: LIC, applies_to: {kind: dependency}, forbid: {license: [GPL-3.0-only]}}
- {id: ENC, applies_to: {kind: column, pii: any}, require: {encrypted: true}}
""",
    "requirements.txt": "requests==2.31.0\n",
    "rows.csv": "IBAN,EMAIL\nDE89370400440532013000,a@example.org\n",
}
SAYS = ("minerva-team-governance[sbom]", "minerva-team-governance[numbers]")
"""What the report names for rules that need an extra."""


def modules(package: str) -> Iterator[str]:
    """Yield the names of all modules of `package`."""
    found = import_module(package)
    for each in pkgutil.walk_packages(found.__path__, f"{package}."):
        yield each.name


def report() -> str:
    """Return the report of a review whose rules need the extras."""
    from minerva_governance import ComplianceAgent, PolicyAgent  # noqa: PLC0415  # the last step

    with TemporaryDirectory() as folder:
        for name, text in FILES.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        policy = PolicyAgent().invoke({"request": "check", "attachments": [folder]})
        answer = ComplianceAgent().invoke(
            {"request": "check", "policy": policy["policy"], "attachments": [folder]}
        )
    passed = [one for one in answer["findings"]["findings"] if one["status"] == "pass"]
    (text,) = [one["content"] for one in answer["artifacts"] if one["name"] == "report.md"]
    return f"passed without its library: {passed}" if passed else str(text)


def main() -> str:
    """Import everything, review a little, and return what was found.

    Raises:
        SystemExit: an extra is there, or the report does not name what to install.
    """
    there = [name for name in EXTRAS if find_spec(name)]
    if there:
        sys.exit(f"this environment is not bare: {', '.join(there)}")
    count = len([import_module(name) for name in modules("minerva_governance")])
    text = report()
    missing = [words for words in SAYS if words not in text]
    if missing:
        sys.exit(f"the report does not say `pip install {missing[0]}`:\n{text}")
    return f"{count} modules import without extras, and the report says what to install"


if __name__ == "__main__":
    sys.stdout.write(f"{main()}\n")
