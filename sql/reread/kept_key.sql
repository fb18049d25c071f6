create index kept_usage_key on kept_usage (operation_key)
