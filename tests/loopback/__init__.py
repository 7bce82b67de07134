"""A loopback stand-in for Discord's REST API and gateway, and the tools that drive a bot against
it.
"""
