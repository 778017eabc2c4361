"""What the model of a `ToolAgent` may call: its own tools, and those of servers (MCP)."""
