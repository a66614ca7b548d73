"""Program text: its definitions are its sections."""
