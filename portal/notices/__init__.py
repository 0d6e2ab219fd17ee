"""What people are notified of: their inbox, mails, and the channel of their own."""
