from minerva_platform import Team, agent


@agent(examples=["how many words are there", "count the words of this"])
def word_count(request: str) -> str:
    """Counts the words of a request."""
    return f"{len(request.split())} words"


office = Team(name="office", description="Office chores.", members=[word_count])
print(office.ask("how many words are in this").answer)
