"""A fake libcuda in C whose checkpoint calls can be made to fail or hang."""
