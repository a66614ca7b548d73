"""The schema of attributes of a knowledge base: proposed by what was read, curated by people."""
