"""The data team's algorithmic core: no agent framework, no model, no network."""
