"""Still pictures, GIF, and folders of numbered frames."""
