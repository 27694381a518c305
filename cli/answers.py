"""`citespan answers`: zones of abstracts, and the sentences that answer a question."""

import typer

from citespan.cli import (
    answers_evaluate,
    answers_evaluate_answers,
    answers_evaluate_run,
    answers_find,
    answers_train,
    answers_train_answers,
    answers_zone,
)

app = typer.Typer(
    no_args_is_help=True, help="Zones of Medline abstracts, and answers to questions in them."
)
app.command(epilog=answers_find.EPILOG)(answers_find.find)
app.command(epilog=answers_zone.EPILOG)(answers_zone.zone)
answers_train.app.command(epilog=answers_train_answers.EPILOG)(answers_train_answers.answers)
app.add_typer(answers_train.app, name="train")
answers_evaluate.app.command(epilog=answers_evaluate_answers.EPILOG)(
    answers_evaluate_answers.answers
)
answers_evaluate.app.command(epilog=answers_evaluate_run.EPILOG)(answers_evaluate_run.run)
app.add_typer(answers_evaluate.app, name="evaluate")
