"""People and their rights in organizations: signing in, members, keys, permissions, the audit log."""
