"""Fits models to recorded people, and judges them on people left out of the fit."""
