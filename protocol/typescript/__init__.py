"""The TypeScript of the protocol, generated from its declarations."""

from armspan.protocol.typescript.messages import generate_messages
from armspan.protocol.typescript.tables import generate_tables

__all__ = ["generate_messages", "generate_tables"]
