"""The entry point of the `citespan` command. All else is imported with Ctrl-C taken care of."""

from citespan.cli import interrupts


def main() -> None:
    """Run the command line; never returns."""
    interrupts.exit_on_interrupt()
    from citespan.pipelines.quick_start import start_quickly

    start_quickly()
    from citespan.cli.app import run

    run()


if __name__ == "__main__":
    main()
