"""From operations to a profile: select, weigh by SQL, name the fields, fold."""
