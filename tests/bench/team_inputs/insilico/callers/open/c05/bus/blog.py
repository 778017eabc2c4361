from dataclasses import dataclass, field

from .events import Bus, LoudBus, QuietBus


@dataclass
class Post:
    title: str
    public: bool = False

    def publish(self) -> None:
        self.public = True


@dataclass
class Blog:
    bus: Bus = field(default_factory=Bus.default)
    posts: list[Post] = field(default_factory=list)

    def add(self, post: Post) -> None:
        self.posts.append(post)
        post.publish()
        self.bus.publish("post", title=post.title)

    def publish(self) -> None:
        for post in self.posts:
            post.publish()
        with self.bus.around("blog") as bus:
            bus.publish("all")


def loud(bus: LoudBus) -> None:
    bus.publish("x")


def quiet(bus: QuietBus) -> None:
    bus.publish("x")
