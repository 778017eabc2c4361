import operator

from .graph import Edge, Graph
from .tree import Node

NODE = '  "{n.label}";'
EDGE = '  "{e.source.label}" -> "{e.target.label}" [label="{e.label}"];'


def dot(graph: Graph) -> str:
    lines = ["digraph {"]
    for node in sorted(graph.nodes.values(), key=operator.attrgetter("label")):
        lines.append(NODE.format(n=node))
    for edge in graph.edges:
        lines.append(EDGE.format(e=edge))
    return "\n".join(lines + ["}"])


def legend(edges: list[Edge]) -> str:
    return ", ".join(sorted({edge.label for edge in edges}))


def attrs(node: Node) -> dict:
    return {"label": node.label, "shape": "box"}


class Plot:
    def __init__(self, ax, label: str) -> None:
        self.ax = ax
        self.label = label

    def draw(self, node: Node) -> None:
        self.ax.plot([0], [0], label=node.label)
        self.ax.set_title(self.label)
