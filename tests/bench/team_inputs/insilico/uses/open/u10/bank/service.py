import logging

from .model import Account, Depot, Holding, Scale, only

log = logging.getLogger(__name__)


class Overdrawn(Exception):
    def __init__(self, account: Account) -> None:
        super().__init__(f"{account.iban} has {account.balance}")
        self.balance = account.balance


class Box[T]:
    def __init__(self, item: T) -> None:
        self.item = item

    def get(self) -> T:
        return self.item


def move(source: Account, target: Account, amount: int) -> None:
    if source.balance < amount:
        raise Overdrawn(source)
    source.deposit(-amount)
    target.deposit(amount)


def worth(holding: Holding) -> int:
    match holding:
        case Account(balance=value):
            return value
        case Depot(shares=shares, balance=value) if not shares:
            return value
        case Depot():
            return holding.balance
    return 0


def close_all(pairs: list[tuple[Account, Account]]) -> list[str]:
    failed = []
    try:
        errors = []
        for source, target in pairs:
            try:
                move(source, target, source.balance)
            except Overdrawn as error:
                errors.append(error)
        if errors:
            raise ExceptionGroup("closing", errors)
    except* Overdrawn as group:
        for error in group.exceptions:
            failed.append(str(error.balance))
    return failed


def negative(accounts: list[Account]) -> list[Account]:
    return only(accounts, lambda a: a.balance < 0)


def boxed(box: Box[Account]) -> int:
    return box.get().balance


def level(scale: Scale) -> bool:
    return scale.balance(1.0, 1.0)
