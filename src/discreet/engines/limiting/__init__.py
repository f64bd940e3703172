"""What each unit keeps of its rows and groups, as SQL that is the same on every engine."""
