"""What bounds a unit: public facts about columns, limits on rows and groups, measures on grids."""
