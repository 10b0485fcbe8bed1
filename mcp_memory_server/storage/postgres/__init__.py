"""The ledger on PostgreSQL: several processes and machines, values sealed."""
