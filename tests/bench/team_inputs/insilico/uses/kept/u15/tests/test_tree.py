from graphs.graph import Edge, Graph
from graphs.load import build, clone, leaf
from graphs.tree import Leaf, Node


def test_build():
    root = build({"label": "root", "children": [{"label": "a"}]})
    assert root.children[0].label == "a"
    assert clone(root).label == "root'"


def test_edge():
    edge = Graph().connect("a", "b", "to")
    assert edge.label == "to"
    assert edge.source.label == "a"
    assert leaf(colour="red").label == "leaf"
