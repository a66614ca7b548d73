"""Proof over stored documents. Shares no code with what it proves: see docs/decisions/0029-what-verify-proves.md."""
