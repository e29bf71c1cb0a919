"""``factfold``: the command line. Data on stdout, progress and messages on stderr.

Exit codes: 0 fine, 1 something failed, 2 wrong usage.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from engine import __version__
from engine.cli import asking, care, changing, deciding, demo, label, learning, models, taking_in
from engine.cli.output import say
from engine.errors import FactfoldError

FINE, FAILED, USAGE = 0, 1, 2
COMMANDS: tuple[click.Command, ...] = (
    taking_in.add,
    taking_in.extract,
    asking.search,
    asking.list_,
    asking.show,
    asking.history,
    deciding.explain,
    changing.update,
    changing.delete,
    changing.undo,
    changing.restore,
    changing.purge,
    asking.profile,
    deciding.review,
    deciding.feedback,
    taking_in.replay,
    learning.train,
    learning.evaluate,
    label.label,
    models.compare,
    models.promote,
    care.verify,
    care.doctor,
    demo.demo,
)


class InOrder(click.Group):
    """Lists commands as they were registered: the order in which they are met, not that of the alphabet."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=InOrder, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="factfold")
def program() -> None:
    """The memory that takes back what is no longer true.

    Data goes to stdout, progress and messages to stderr. Exit codes: 0 fine, 1 something failed, 2 wrong usage.
    """


for _command in COMMANDS:
    program.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        In place of ``sys.argv[1:]``.

    Returns
    -------
    int
        The exit code.
    """
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")
    given = None if arguments is None else list(arguments)
    try:
        result = program.main(args=given, prog_name="factfold", standalone_mode=False)
        sys.stdout.flush()
    except click.UsageError as error:
        error.show()
        return USAGE
    except click.ClickException as error:
        error.show()
        return FAILED
    except FactfoldError as error:
        say(f"factfold: {error}")
        return FAILED
    except (click.Abort, KeyboardInterrupt):
        say("factfold: stopped")
        return FAILED
    except BrokenPipeError:
        # Whoever read us has had enough. Python would complain again when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    return result if isinstance(result, int) else FINE
