"""Reports on a model: a page that anybody may see, and one for the owner's eyes."""
