"""What is posted in a request: notes and records, found when the request is answered."""
