"""The zone of each sentence of an abstract: Introduction, Methods, Results or Conclusions."""
