"""Sockets: upgrades, frames, peers, and what a peer may take."""

from armspan.server.gateway.gateway import Gateway
from armspan.server.gateway.patience import Patience
from armspan.server.gateway.upgrade import OriginPolicy

__all__ = ["Gateway", "OriginPolicy", "Patience"]
