"""The views: each has its parameters, its page and its part of the JSON API."""
