"""Which backends there are.

Backends register through the entry-point group `nonant.backends`: an entry names an object that meets the `Backend`
protocol. The built-in ones stand in the table below as well, so that a checkout that was never installed has them, and
so that the usual question is answered without looking through the installed packages.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from nonant.csp.backends.base import Backend, Capabilities
from nonant.csp.constraints import CONSTRAINT_CLASSES, CONSTRAINT_NAMES
from nonant.csp.errors import BackendUnavailable, NonantError

GROUP = "nonant.backends"
BUILT_IN = {
    "auto": "nonant.csp.backends.auto:BACKEND",
    "native": "nonant.csp.backends.native:BACKEND",
    "learner": "nonant.csp.backends.learner:BACKEND",
    "sat": "nonant.csp.backends.sat:BACKEND",
    "cpsat": "nonant.csp.backends.cpsat:BACKEND",
    "cryptominisat": "nonant.csp.backends.cryptominisat:BACKEND",
    "gf2": "nonant.csp.backends.gf2:BACKEND",
}


def names() -> tuple[str, ...]:
    """The names of all backends, the built-in ones first.

    Raises:
        NonantError: if two plugins register one name.
    """
    return (*BUILT_IN, *_plugins())


def get(name: str) -> Backend:
    """The backend of this name.

    Raises:
        BackendUnavailable: if there is none, or if it cannot be imported.
        NonantError: if what is registered is not a backend, or two plugins register the name.
    """
    if name in BUILT_IN:
        return _load(name, BUILT_IN[name])
    plugins = _plugins()
    if name not in plugins:
        raise BackendUnavailable(f"no backend is called {name!r}; there are {', '.join((*BUILT_IN, *plugins))}")
    return _load(name, plugins[name])


def _plugins() -> dict[str, str]:
    """Name -> object reference of the backends that other packages register."""
    from importlib.metadata import entry_points

    found: dict[str, str] = {}
    for point in entry_points(group=GROUP):
        known = BUILT_IN.get(point.name) or found.get(point.name)
        if known is not None and known != point.value:
            raise NonantError(
                f"two plugins register the backend {point.name!r}: {known} and {point.value}; uninstall one of them"
            )
        if known is None:
            found[point.name] = point.value
    return found


def _load(name: str, reference: str) -> Backend:
    module, _, attribute = reference.partition(":")
    try:
        found: Any = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise BackendUnavailable(f"backend {name!r} ({reference}) cannot be loaded: {error}") from error
    return verified(found, name, reference)


def verified(found: Any, name: str, reference: str) -> Backend:
    """The object, checked against the protocol.

    Raises:
        NonantError: naming what is missing or wrong.
    """
    if isinstance(found, type):
        found = found()
    for method in ("why_not", "session"):
        if not callable(getattr(found, method, None)):
            raise NonantError(f"backend {name!r} ({reference}) has no method {method}()")
    if getattr(found, "name", None) != name:
        raise NonantError(
            f"backend {name!r} ({reference}) calls itself {getattr(found, 'name', None)!r}; the names must agree"
        )
    capabilities = getattr(found, "capabilities", None)
    if not isinstance(capabilities, Capabilities):
        raise NonantError(f"backend {name!r} ({reference}) has no Capabilities record as its `capabilities`")
    unknown = capabilities.constraints.difference(CONSTRAINT_NAMES)
    if unknown:
        raise NonantError(
            f"backend {name!r} ({reference}) claims unknown constraint classes: {', '.join(sorted(unknown))}"
        )
    checked: Backend = found
    return checked


def why_not(backend: Backend, model: Any) -> str | None:
    """Why a backend cannot take a model: a constraint class outside its capabilities, or its own reason."""
    used = {kind.__name__ for kind in CONSTRAINT_CLASSES if any(isinstance(each, kind) for each in model.constraints)}
    missing = sorted(used - backend.capabilities.constraints)
    if missing:
        return f"it does not take {', '.join(missing)} constraints"
    return backend.why_not(model)
