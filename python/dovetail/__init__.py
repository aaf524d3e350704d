"""Dovetail for Python trials: the standard library only, Python 3.8 or newer.

    import dovetail

    run = dovetail.init()
    for step in range(run.start_step + 1, 101):
        loss = train(run.hparams["lr"])
        run.report(step, loss=loss)
        if run.should_preempt():
            with run.checkpoint(step) as folder:
                save(folder)
            run.exit_preempted()

Inside a trial it talks to the node's shim, which keeps every line until the master has it; outside
of one it prints the metrics, so the same script runs by hand.
"""

from ._run import (
    EXIT_INVALID_HPARAMS,
    EXIT_PREEMPTED,
    InvalidHyperparameters,
    Run,
    init,
)

__all__ = [
    "EXIT_INVALID_HPARAMS",
    "EXIT_PREEMPTED",
    "InvalidHyperparameters",
    "Run",
    "init",
]
__version__ = "0.1.0"
