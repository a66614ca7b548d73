"""Experiment summaries: what a document states of an experiment, field by field, each statement with its passage."""
