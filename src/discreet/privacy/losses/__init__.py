"""The kinds of loss, one idea a file; `discreet.privacy` exports them."""
