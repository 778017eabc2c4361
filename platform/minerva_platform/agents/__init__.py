"""Agents that are made of a function, a graph or tools, and teams that a model calls as tools."""
