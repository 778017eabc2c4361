from string import Template

from inventory.core.models import Device, License

LABEL = Template("$kind / $serial")


def label(device: Device) -> str:
    return LABEL.substitute(vars(device))


def license_label(license: License) -> str:
    return "{0.vendor} {0.serial}".format(license)


def labels(devices: "QuerySet[Device]") -> list[str]:
    fields = ["serial", "kind"]
    return [" ".join(str(getattr(d, f)) for f in fields) for d in devices]


def csv(devices) -> str:
    return "\n".join(",".join(row) for row in Device.objects.values_list("kind", "serial"))


def number(thing) -> str:
    return str(thing.serial)
