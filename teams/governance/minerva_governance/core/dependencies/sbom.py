"""Write the libraries as a software bill of materials: CycloneDX 1.6 as JSON.

Needs the extra `sbom`. The same libraries give the same bytes: there is no time in it, and the
serial number is made of the content.
"""

import json
import uuid
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from minerva_governance.core.dependencies.dependency import Dependencies, Dependency
from minerva_governance.core.dependencies.spdx import spdx

if TYPE_CHECKING:
    from cyclonedx.model.component import Component
    from packageurl import PackageURL

UNKNOWN: Final = "unknown"
"""The name of a licence that is no SPDX expression."""
_NAMESPACE: Final = uuid.uuid5(uuid.NAMESPACE_DNS, "minerva-team-governance.sbom")


def can_write() -> bool:
    """True if the extra is installed."""
    return all(find_spec(name) for name in ("cyclonedx", "license_expression"))


def to_sbom(dependencies: Dependencies) -> str:
    """Return the SBOM of `dependencies`."""
    from cyclonedx.model.bom import Bom  # noqa: PLC0415  # of the extra
    from cyclonedx.output.json import JsonV1Dot6  # noqa: PLC0415  # of the extra

    bom = Bom(serial_number=_serial(dependencies.libraries))
    bom.metadata.timestamp = None  # type: ignore[assignment]  # the field is optional in CycloneDX
    for library in dependencies.libraries:
        bom.components.add(_component(library))
    # Read and written again: its writer escapes Korean, and orders `$schema` by chance of version.
    content = json.loads(JsonV1Dot6(bom).output_as_string())
    return json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def _serial(libraries: Sequence[Dependency]) -> uuid.UUID:
    content = json.dumps([library.model_dump() for library in libraries], sort_keys=True)
    return uuid.uuid5(_NAMESPACE, content)


def _component(library: Dependency) -> "Component":
    from cyclonedx.model import Property  # noqa: PLC0415  # of the extra
    from cyclonedx.model.component import Component, ComponentType  # noqa: PLC0415
    from cyclonedx.model.license import DisjunctiveLicense, LicenseExpression  # noqa: PLC0415
    from cyclonedx.spdx import is_supported_id  # noqa: PLC0415

    purl = _purl(library)
    licence: DisjunctiveLicense | LicenseExpression
    expression = spdx(library.licence)
    if expression is None:
        licence = DisjunctiveLicense(name=UNKNOWN)
    elif is_supported_id(expression):
        licence = DisjunctiveLicense(id=expression)
    else:
        licence = LicenseExpression(expression)
    return Component(
        type=ComponentType.LIBRARY,
        name=library.name,
        version=library.version or None,
        purl=purl,
        bom_ref=purl.to_string(),
        licenses=[licence],
        properties=[Property(name="minerva:declared", value=f"{library.source}:{library.line}")],
    )


def _purl(library: Dependency) -> "PackageURL":
    from packageurl import PackageURL  # noqa: PLC0415  # of the extra

    _, name = library.key
    namespace, _, last = name.rpartition("/")  # npm's scopes: @types/node
    return PackageURL(library.ecosystem, namespace or None, last, library.version or None)
