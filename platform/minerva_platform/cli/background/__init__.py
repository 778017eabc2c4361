"""The commands of background runs: ask for one, work them off, wait for one, cancel one."""
