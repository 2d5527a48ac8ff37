# SPDX-License-Identifier: MIT
"""Calls of the library during which it calls Python.

Signals reach Python code at any line of the main thread, so also in a function
that the library has called, where an exception would be lost and its result
undefined.  Such calls therefore run in another thread, and the one that made
them waits: Ctrl-C, or what a progress function raises, ends the wait, makes
the next read fail and is raised when the call has come back.
"""

from __future__ import annotations

import queue
import threading
from typing import Any, Callable, Optional

Tell = Callable[[int], Any]


class Call:
    """One call; tell() may be called from below it.

    'stop' is given an exception that ended the wait."""

    def __init__(self, stop: Callable[[BaseException], Any],
                 tell: Optional[Tell] = None) -> None:
        self._stop, self._tell = stop, tell
        self._messages: "queue.SimpleQueue[Optional[int]]" = \
            queue.SimpleQueue()

    def tell(self, number: int) -> None:
        """Passes a number on to the thread that waits."""
        self._messages.put(number)

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls it; raises what ended the wait."""
        results, failure = [], None

        def work() -> None:
            try:
                results.append(function(*arguments))
            finally:
                self._messages.put(None)
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        while True:
            try:
                number = self._messages.get()
                if number is None:
                    break
                if self._tell and failure is None:
                    self._tell(number)
            except BaseException as error:  # raised below
                failure = failure or error
                self._stop(failure)
        thread.join()
        if failure is not None:
            raise failure
        return results[0]


def run_apart(stop: Callable[[BaseException], Any],
              function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function where no signal arrives."""
    if threading.current_thread() is not threading.main_thread():
        return function(*arguments)
    return Call(stop).run(function, *arguments)
