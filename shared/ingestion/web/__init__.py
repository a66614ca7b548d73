"""Web pages as sources: one that is named, and sites that are watched."""
