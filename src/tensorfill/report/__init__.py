"""The report: tables, figures and one page from the rows of a bench. It measures nothing itself."""
