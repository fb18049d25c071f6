"""tagging"""
