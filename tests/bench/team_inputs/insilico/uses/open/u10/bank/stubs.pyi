from .model import Account

def balance_of(account: Account) -> int: ...

class View:
    balance: int
    account: Account
