"""How work is shown: response shapes and what fills them."""
