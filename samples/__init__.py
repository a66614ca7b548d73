"""The sample documents a new user sees first, and the code that typesets them."""
