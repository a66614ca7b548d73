"""The laboratory: what people make of what documents say."""
