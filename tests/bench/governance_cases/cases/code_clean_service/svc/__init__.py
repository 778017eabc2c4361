"""Sends mails."""
