"""What every portal app uses: actors, errors, REST and ASGI plumbing, notifications."""
