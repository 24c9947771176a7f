"""The weights that ship with the package: ``small.safetensors``, described in docs/model_card.md."""
