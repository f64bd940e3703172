"""What a ledger holds, and the rules by which entries are made: everything inside one transaction."""
