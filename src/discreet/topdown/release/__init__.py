"""What leaves the house: tables with margins of error, microdata, measurements, a receipt and a report."""
