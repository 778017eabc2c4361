import logging
import serial

from django.db.models import Q

from inventory.core.models import Device, License, Repair

log = logging.getLogger(__name__)


def probe(port: str) -> str:
    with serial.Serial(port, 9600) as line:
        return line.readline().decode()


def sync(port: str) -> Device:
    answer = probe(port).split(",")
    device, made = Device.objects.get_or_create(serial=answer[0], defaults={"kind": answer[1]})
    if made:
        log.info("new device %s", device.serial)
    for number in answer[2:]:
        device.licenses.create(serial=int(number), vendor="acme")
    return device


def broken(user):
    query = Q(device__serial__startswith="X") | Q(license__serial=0)
    serials = [d.serial for d in user.devices.all()]
    return Repair.objects.filter(query, device__serial__in=serials)


def renumber(start: int) -> None:
    licenses = list(License.objects.order_by("serial"))
    for serial, license in enumerate(licenses, start):
        license.serial = serial
    License.objects.bulk_update(licenses, ["serial"])


def swap(one: Device, two: Device) -> None:
    one.serial, two.serial = two.serial, one.serial
    Device.objects.bulk_update([one, two], fields=["serial"])
