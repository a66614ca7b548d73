"""Reads files of data: JSON, XML, calendars, address books. What has a name is a section or a line with its label."""
