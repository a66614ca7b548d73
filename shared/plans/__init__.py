"""What an organization's plan allows, counted exactly: two at the limit at once do not both pass."""
