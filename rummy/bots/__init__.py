"""Practice opponents of three strengths, which use only their seat's view."""

from rummy.bots.choice import STRENGTHS, Strength, choose

__all__ = ["STRENGTHS", "Strength", "choose"]
