"""The paper's evaluation: data sets, corruption, metrics, baselines, experiments, and the report on their results.

Nothing that trains or decodes may import this package: these data sets are for reporting only.
"""
