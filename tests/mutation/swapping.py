"""Give loaded functions the code of a mutant, so that no test has to be collected anew for it."""

import functools
import gc
from inspect import CO_NEWLOCALS
from types import CodeType, FunctionType

from tests.mutation.mutants import ROOT, Mutant

_PACKAGE = str(ROOT / "sudokucrypt")
_Cached = type(functools.cache(int))


class Loaded:
    """The functions of the package that are loaded, by their code, and what they remember."""

    def __init__(self) -> None:
        # By their type alone: other objects may do anything when they are asked for their class.
        every = gc.get_objects()
        self._caches = [each for each in every if type(each) is _Cached]
        self._functions: dict[CodeType, list[FunctionType]] = {}
        for each in every:
            if type(each) is FunctionType and each.__code__.co_filename.startswith(_PACKAGE):
                self._functions.setdefault(each.__code__, []).append(each)

    def swap(self, mutant: Mutant) -> bool:
        """Change the functions; return False if the change is outside of those that are loaded.

        So it is with constants, defaults and whatever else a module does when it is imported.
        """
        source = (ROOT / mutant.path).read_text(encoding="utf-8")
        codes = _different(compile(source, "", "exec"), compile(mutant.source, "", "exec"))
        swaps = [(each, new) for old, new in codes for each in self._functions.get(old, ())]
        if not swaps or not codes[-1][0].co_flags & CO_NEWLOCALS:
            return False
        for function, code in swaps:
            function.__code__ = code
        for cache in self._caches:
            cache.cache_clear()
        return True


def _different(old: CodeType, new: CodeType) -> list[tuple[CodeType, CodeType]]:
    """Return the pairs of codes that differ, from the whole to the innermost part."""
    if _own(old) != _own(new):
        return [(old, new)]
    for pair in zip(_parts(old), _parts(new), strict=True):
        if found := _different(*pair):
            return [(old, new), *found]
    return []


def _own(code: CodeType) -> tuple[object, ...]:
    """Return what a code does itself; lines may have shifted, and 1 equals true."""
    constants = [repr(each) for each in code.co_consts if not isinstance(each, CodeType)]
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return code.co_code, constants, names, len(_parts(code))


def _parts(code: CodeType) -> list[CodeType]:
    return [each for each in code.co_consts if isinstance(each, CodeType)]
