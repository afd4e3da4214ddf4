"""The command line: `nonant COMMAND ...`. Each command lives in `nonant.commands` and is imported when it is called.

Exit codes: 0 solved or unique, 1 refused or disagreeing, 2 bad input, 3 multiple solutions, 4 none, 5 unknown at a
limit, 130 interrupted.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module

import click

from nonant import __version__
from nonant.csp.errors import NonantError

LONGEST = 300  # characters of a message that quotes what was typed
# command -> (module, what it does in one line)
COMMANDS = {
    "solve": ("solve", "Solve a puzzle, or each puzzle of a file."),
    "verify": ("verify", "Say whether there is exactly one solution, and if not, why not."),
    "check": ("check", "Check a certificate, with no solver in play."),
    "count": ("count", "Count the solutions."),
    "candidates": ("candidates", "Show the values that each cell takes in some solution."),
    "compare": ("compare", "Compare solvers on the same puzzles: answers, times, agreement."),
    "magic": ("magic", "Solve the game of MAGIC from any state."),
    "lights": ("lights", "Solve Lights Out: which cells to press, how few, or why none do."),
    "batch": ("batch", "Verify, solve, count or rate whole lists, millions of puzzles."),
    "convert": ("convert", "Rewrite puzzles in another form."),
    "explain": ("explain", "Solve by human techniques, every step proved."),
    "replay": ("replay", "Check a solve path in notation, move by move."),
    "hint": ("hint", "The next step, with its reason."),
    "rivals": ("rivals", "Rank the candidates of a cell (no proof)."),
    "techniques": ("techniques", "List the human techniques."),
    "models": ("models", "List the puzzle families: rule and example."),
    "warm": ("warm", "Compile everything now, so that nothing needs to later."),
    "backends": ("backends", "List the solvers and what each can do."),
}


class _Commands(click.Group):
    """The commands of the table above, imported one by one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"nonant.commands.{COMMANDS[cmd_name][0]}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="nonant")
def _group() -> None:
    """Declare a puzzle once, solve it, verify it.

    PUZZLE is text (one line of symbols, or a grid), a file, or - for standard input.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; errors that users can mend are one line on standard error and exit code 2."""
    try:
        code = _group.main(args=arguments, prog_name="nonant", standalone_mode=False)
    except NonantError as error:
        click.echo(f"nonant: {error}", err=True)
        code = 2
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = 2
    except click.ClickException as error:
        message = " ".join(error.format_message().split())
        click.echo(f"nonant: {message if len(message) <= LONGEST else message[:LONGEST] + '...'}", err=True)
        code = 2
    except (KeyboardInterrupt, click.Abort):
        click.echo("nonant: interrupted", err=True)
        code = 130
    except OSError as error:
        # A full disk, or an output that was closed. (When a reader like `head` has gone, click ends quietly by itself.)
        with suppress(OSError):
            click.echo(f"nonant: cannot write the output: {error.strerror}", err=True)
        code = 2
    sys.exit(code or 0)
