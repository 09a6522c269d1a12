"""What gives samples their meaning, as bytes: the metadata that a header carries along, encrypted.

::

    {"format": ..., "preview": ..., "frames": [{...}]} LF blobs zeros

The first line is ASCII JSON without spaces, what is absent left out. Where it says how many bytes
something has, these bytes are among the blobs, in the order of the line. Zeros fill up the last
256 bytes. docs/spec/pictures-v1.md defines all of it.
"""
