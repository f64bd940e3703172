"""Two recorded runs held side by side: what moved farther than is paid for, and what else differs."""
