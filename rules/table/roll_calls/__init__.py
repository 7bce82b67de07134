"""Roll calls: checks of several characters that a GM calls for at once."""
