"""What makes packages of this program, and the feed that it reads."""


class NotReady(SystemExit):
    """What keeps a package from being built, or from being a release; unheard, it is the end."""
