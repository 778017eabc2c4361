from ledger import Budget, Payment, book, reverse, within

p = Payment("2024-01-01", "Shop", -12.5)
assert p.amount == -12.5
assert book(p)["amount"] == 12.5
assert reverse(book(p))["amount"] == -12.5
assert within(Budget("food", amount=10), [p])
match p:
    case Payment(amount=a) if a < 0:
        print("spent", -a)
print("%(payee)s %(amount).2f" % p._asdict())
print("{0.payee} {0.amount:.2f}".format(p))
data = {"day": "d", "payee": "p", "amount": 1.0}
print(Payment(**data))
