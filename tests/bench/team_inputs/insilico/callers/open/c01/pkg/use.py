from functools import partial

from pkg.boxes import Box, Crate, Form


class Shelf:
    def __init__(self, first: Box) -> None:
        self.first = first
        self.second = Box(2)
        self.form = Form()
        self.boxes: list[Box] = [first, self.second]

    def stock(self) -> None:
        self.first.fill("1")
        self.second.fill("2")
        self.form.fill({"n": 2})
        for box in self.boxes:
            box.fill()


def make() -> Box:
    return Box()


def once() -> None:
    Box().fill()
    make().fill("z")
    Crate().fill()


def annotated(box: Box, form: Form) -> None:
    box.fill("q")
    form.fill({})


def unknown(thing) -> None:
    thing.fill()


def later(box: Box):
    return partial(box.fill, "later")


def unbound(box: Box) -> None:
    Box.fill(box, "k")
