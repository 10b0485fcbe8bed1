"""One module for each real server that tests talk to."""
