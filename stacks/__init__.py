"""What each stack consists of; composes components and creates nothing itself."""
