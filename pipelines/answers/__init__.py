"""Answers to research questions from Medline abstracts.

After A. Alamri and M. Stevenson, "Automatic detection of answers to research questions from Medline
abstracts", BioNLP 2015, here called paper B: `zones` gives each sentence of an abstract its zone,
`detection` decides which sentences of the Results and Conclusions answer a question, and `finding`
ranks these over all abstracts.
"""
