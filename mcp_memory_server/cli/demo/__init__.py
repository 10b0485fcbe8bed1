"""`demo`: a real conversation with the real server, over several sessions and two agents."""
