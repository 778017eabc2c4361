"""How tests start Chromium: without a graphics card, a network of its own, or more processes."""

FLAGS = (
    "--no-sandbox",
    "--process-per-site",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-software-rasterizer",  # or it paints each frame as a graphics card would
    "--disable-gpu-rasterization",
    "--in-process-gpu",
)
