"""Proof over stored documents. Shares no code with what it proves: see docs/decisions/0027-what-verify-proves.md."""
