"""Practice opponents of three strengths; each plays by what its seat may see, nothing else."""

from rummy.bots.choice import STRENGTHS, Strength, choose

__all__ = ["STRENGTHS", "Strength", "choose"]
