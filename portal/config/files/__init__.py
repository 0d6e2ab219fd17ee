"""Files of settings that an operator writes, read at the start and refused with what is wrong in them."""
