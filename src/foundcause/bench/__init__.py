"""The paper's evaluation: data sets, corruption, metrics, baselines, experiments, and the report on their results.

Nothing that trains or decodes may import this package: no choice is made on these data sets.
"""
