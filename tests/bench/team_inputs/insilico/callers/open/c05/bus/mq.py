import paho.mqtt.client as mqtt

from .blog import Blog
from .events import Bus

client = mqtt.Client()
bus = Bus.default()


@bus.on("post")
def forward(title: str) -> None:
    client.publish("posts", title)


def run(action: str) -> None:
    Bus.default().publish(action)
    bus.publish("run")
    getattr(bus, "publish")(action)
    getattr(bus, action)("post")


def main(blog: Blog) -> None:
    blog.publish()
    blog.bus.publish("main")
    {"publish": bus.publish}["publish"]("x")
