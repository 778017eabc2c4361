"""Commands that show what runs ask people, take the answers, and let the runs go on."""
