"""What becomes of the work of people who leave: reported to the heads of their group, and handed over."""
