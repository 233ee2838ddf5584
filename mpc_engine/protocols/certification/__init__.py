"""Certification: is the modeler's secret model fair to the people of a cohort?"""
