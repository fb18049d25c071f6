"""One word for what work is about: texts come in, tags go out, by rules or a model's server."""
