"""One file in which something hides."""

from dataclasses import dataclass

from tests.leaks.previews import JPEG, SAMPLES, Preview


@dataclass(frozen=True)
class Case:
    """A file, and what must not come out of it."""

    name: str
    data: bytes
    secrets: tuple[bytes, ...]

    @property
    def suffix(self) -> str:
        """The suffix that such a file has."""
        start = self.name.partition("-")[0]
        return {"jpeg": ".jpg", "netpbm": ".ppm"}.get(start, f".{start}")


def hidden(name: str, data: bytes, preview: Preview | None = None) -> Case:
    """A file in which a preview hides: bare samples if its name says so, a JPEG otherwise."""
    preview = preview or (SAMPLES if "samples" in name else JPEG)
    return Case(name, data, preview.secrets)
