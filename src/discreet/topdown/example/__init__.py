"""An example of full size: the settings of a real census on a generated state."""
