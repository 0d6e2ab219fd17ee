"""Messages to addresses outside of the portal that people have entered: webhooks and chats."""
