"""Attack schemes that are given as callables; each attack has a control that it must break.

An oracle is a scheme under one key: a callable that takes an image and returns one of the same
shape and dtype. Images are as in `sudokucrypt.analysis`. The ``unit`` that an attack traces is a
"pixel" (an image has M N of them), a "sample" (M N C of them), or a "bit" of a sample; "auto" tries
all of them. `InvalidImageError` is raised for unsupported shapes and dtypes, and if a scheme
changes them.

Attacks on JPEG files take an oracle for the bytes of files in place of images.
"""

from sudokucrypt.lazy import make_lazy_names

__all__, __getattr__, __dir__ = make_lazy_names(__name__)
