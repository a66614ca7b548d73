"""How long tests wait for what they do not measure.

A machine that others use takes many times what an idle one does, and who waits in vain fails all the same, only later:
nothing that is waited for is given less. A time that is itself what a test is about stands in that test.
"""

PATIENCE_S = 300
PATIENCE_MS = 1000 * PATIENCE_S
