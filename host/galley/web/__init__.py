"""The pages of the box: `hub` holds what they show, `app` serves them, `static/` is what a browser loads."""
