import pandas as pd

from ledger import Payment, read


def frame(payments: list[Payment]) -> pd.DataFrame:
    df = pd.DataFrame(payments, columns=["day", "payee", "amount"])
    df["abs"] = df["amount"].abs()
    return df


def per_payee(df: pd.DataFrame) -> pd.Series:
    return df.groupby("payee")["amount"].sum()


def plot(path: str) -> None:
    df = frame(read(path))
    df.plot(x="day", y="amount")
    df.query("amount < 0").to_csv("out.csv")
