"""Owns Plumber: the tubular parts of a triangle mesh (Mortara et al. 2004; Abaci et al. 2005)."""
