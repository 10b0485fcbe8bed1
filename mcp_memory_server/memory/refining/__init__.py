"""The optional second reading: where the rules cover little of what was said, a model may propose facts.

`port` is what such a model has to do; `coverage` says where it is asked; `check` lets through what the words
themselves say, and drops the rest with a reason. What the model invents becomes no memory, not even a pending one.
"""
