class Box:
    def __init__(self, size: int = 1) -> None:
        self.size = size
        self.items: list[str] = []

    def fill(self, item: str = "x") -> "Box":
        self.items.append(item)
        return self

    def refill(self) -> None:
        self.items.clear()
        for _ in range(self.size):
            self.fill()

    @classmethod
    def full(cls) -> "Box":
        return cls(3).fill("a").fill("b")


class Crate(Box):
    def fill(self, item: str = "y") -> "Box":
        super().fill(item.upper())
        return self


class Form:
    def fill(self, data: dict) -> None:
        self.data = data

    def reset(self) -> None:
        self.fill({})
