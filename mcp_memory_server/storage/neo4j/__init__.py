"""The graph on Neo4j: a projection that several server processes share."""
