"""The archive: copies of archived memories as objects, in files or on S3."""
