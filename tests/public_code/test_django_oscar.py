"""A review of somebody's Django application, by its code alone: fields, sinks and hosts.

The released source of django-oscar 4.0 is downloaded; nothing of it is installed or run. The fields
and places below were read in its sources, not in the answers.
"""

import json
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

RELEASE = "django-oscar==4.0"
REQUEST = (
    "Find where this code uses personal fields and which code logs them, and report what violates"
    " the privacy policy"
)
FIELDS = {
    ("address/abstract_models.py", "first_name"): ("BillingAddress", "ShippingAddress"),
    ("address/abstract_models.py", "last_name"): ("BillingAddress", "UserAddress"),
    ("address/abstract_models.py", "line1"): ("BillingAddress", "PartnerAddress"),
    ("address/abstract_models.py", "postcode"): ("ShippingAddress", "UserAddress"),
    ("address/abstract_models.py", "phone_number"): ("ShippingAddress", "UserAddress"),
    ("customer/abstract_models.py", "email"): ("AbstractUser", "ProductAlert"),
    ("customer/abstract_models.py", "first_name"): ("AbstractUser",),
    ("customer/abstract_models.py", "last_name"): ("AbstractUser",),
    ("communication/abstract_models.py", "email"): ("Email",),
    ("catalogue/reviews/abstract_models.py", "email"): ("ProductReview",),
    ("order/abstract_models.py", "guest_email"): ("Order",),
    ("wishlists/abstract_models.py", "email"): ("WishListSharedEmail",),
}
SINKS = {
    ("recipient_email", "log", "oscar/apps/communication/utils.py", 133),
    ("email", "exception", "oscar/apps/customer/forms.py", 398),
    ("email", "file", "oscar/apps/order/reports.py", 32),
    ("postcode", "exception", "oscar/apps/address/abstract_models.py", 324),
    ("email", "print", "oscar/management/commands/oscar_find_duplicate_emails.py", 34),
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the unpacked source."""
    folder = tmp_path_factory.mktemp("oscar")
    options = ["--no-binary", ":all:", "--no-deps", "--quiet", "--dest", str(folder)]
    subprocess.run(
        [sys.executable, "-m", "pip", "download", *options, RELEASE], check=True
    )  # our own interpreter, a fixed release
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return next(folder.glob("django_oscar-*/src"))


@pytest.fixture(scope="module")
def findings(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what a review of the code alone finds."""
    out = tmp_path_factory.mktemp("out")
    minerva = Path(sys.executable).with_name("minerva")
    subprocess.run([minerva, "ask", REQUEST, "-i", source, "--out", out], check=True)  # ours
    found: dict[str, Any] = json.loads((out / "findings.json").read_text(encoding="utf-8"))
    return found


def test_personal_fields_are_listed_by_model_and_line(
    source: Path, findings: dict[str, Any]
) -> None:
    """Those of abstract bases are told for the models below, at the line that declares them."""
    found = {
        (column["source"], column["column"], column["table"]): column["line"]
        for column in findings["inventory"]
    }

    for (path, field), models in FIELDS.items():
        name = f"oscar/apps/{path}"
        lines = (source / name).read_text(encoding="utf-8").splitlines()
        for model in models:
            line = found[name, field, model]
            assert lines[line - 1].lstrip().startswith(f"{field} = ")


def test_the_sinks_are_named_and_no_host_is_made_up(findings: dict[str, Any]) -> None:
    """Oscar itself calls nobody by HTTP."""
    flows = [flow for flow in findings["flows"] if not flow["suspected"]]
    found = {(flow["name"], flow["sink"], flow["path"], flow["line"]) for flow in flows}

    assert found >= SINKS
    assert {flow["host"] for flow in flows} == {""}


def test_each_flow_stands_at_a_line_that_names_its_field(
    source: Path, findings: dict[str, Any]
) -> None:
    """A value that came through a variable is at the sink, all others where they are named."""
    for flow in findings["flows"]:
        if not flow["via"]:
            lines = (source / flow["path"]).read_text(encoding="utf-8").splitlines()
            assert flow["name"] in lines[flow["line"] - 1], flow
