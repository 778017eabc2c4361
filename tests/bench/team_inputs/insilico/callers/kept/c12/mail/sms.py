from dataclasses import dataclass


@dataclass
class Sms:
    number: str

    def send(self, text: str) -> None:
        print(self.number, text)


def alarm(phones: list[Sms]) -> None:
    for phone in phones:
        phone.send("alarm")
    Sms("1").send("done")


def notify(channel, text: str) -> None:
    channel.send(text)
