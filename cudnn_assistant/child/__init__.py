"""Programs that run in a process of their own, because what they load may end it."""
