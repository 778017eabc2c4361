"""Write the libraries as a software bill of materials: CycloneDX 1.6 as JSON.

Needs the extra `sbom`. The same libraries give the same bytes: there is no time in it, and the
serial number is made of the content.
"""

import json
import uuid
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from minerva_governance.core.dependencies.dependency import Dependencies, Dependency
from minerva_governance.core.dependencies.spdx import spdx

UNKNOWN: Final = "unknown"
"""The name of a licence that is no SPDX expression."""
_NAMESPACE: Final = uuid.uuid5(uuid.NAMESPACE_DNS, "minerva-team-governance.sbom")


def can_write() -> bool:
    """True if the extra is installed."""
    return all(find_spec(name) for name in ("cyclonedx", "license_expression"))


def to_sbom(dependencies: Dependencies) -> str:
    """Return the SBOM of `dependencies`."""
    # pyright reads nothing of the classes that CycloneDX's decorators make, so they come as Any.
    model, output = _of_extra("cyclonedx.model.bom"), _of_extra("cyclonedx.output.json")
    content = [library.model_dump() for library in dependencies.libraries]
    serial = uuid.uuid5(_NAMESPACE, json.dumps(content, sort_keys=True))
    bom = model.Bom(serial_number=serial)
    bom.metadata.timestamp = None
    for library in dependencies.libraries:
        bom.components.add(_component(library))
    # Read and written again: its writer escapes Korean.
    document = json.loads(output.JsonV1Dot6(bom).output_as_string())
    return json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def _of_extra(module: str) -> Any:
    return import_module(module)


def _component(library: Dependency) -> Any:
    model, kinds = _of_extra("cyclonedx.model"), _of_extra("cyclonedx.model.component")
    purl = _purl(library)
    declared = f"{library.source}:{library.line}"
    return kinds.Component(
        type=kinds.ComponentType.LIBRARY,
        name=library.name,
        version=library.version or None,
        purl=purl,
        bom_ref=purl.to_string(),
        licenses=[_licence(library.licence)],
        properties=[model.Property(name="minerva:declared", value=declared)],
    )


def _licence(text: str) -> Any:
    licences = _of_extra("cyclonedx.model.license")
    expression = spdx(text)
    if expression is None:
        return licences.DisjunctiveLicense(name=UNKNOWN)
    if _of_extra("cyclonedx.spdx").is_supported_id(expression):
        return licences.DisjunctiveLicense(id=expression)
    return licences.LicenseExpression(expression)


def _purl(library: Dependency) -> Any:
    _, name = library.key
    namespace, _, last = name.rpartition("/")  # npm's scopes: @types/node
    maker = _of_extra("packageurl")
    return maker.PackageURL(library.ecosystem, namespace or None, last, library.version or None)
