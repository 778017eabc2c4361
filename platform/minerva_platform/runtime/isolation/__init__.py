"""Run a worker in a process of its own, which can always be killed.

    this process ── control ──> fork server ── fork ──> one child a worker
         └────────────── channel (frames of JSON) ──────────┘

An OS thread cannot be stopped in Python, and code that holds the interpreter's lock stops every
other one. A process can always be killed, so a worker with `isolation = "process"` can be held to
its limit. `call` is the way in; `child` is what runs on the other side.
"""
