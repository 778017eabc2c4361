"""The room that runs LangGraph's graphs: the supervisor, the firewall and the calls of members."""
