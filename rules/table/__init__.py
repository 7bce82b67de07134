"""What every table shares whatever its system: people, characters, challenges, and the actions on them."""
