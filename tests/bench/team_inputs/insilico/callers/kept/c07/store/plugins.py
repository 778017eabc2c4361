import importlib


def load(name: str):
    return importlib.import_module(name)


def load_all(names):
    return [load(n) for n in names]


def dynamic(obj, method="load"):
    return getattr(obj, method)()


def duck(obj):
    obj.load()
