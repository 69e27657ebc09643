"""Read and approve the drafts of the inbox assistant."""
