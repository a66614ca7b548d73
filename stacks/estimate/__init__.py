"""What a deployment costs: idle, and per 1,000 pages, from its synthesized template and dated prices."""
