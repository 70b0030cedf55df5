"""How a sample of PyTorch's OpInfo becomes a call here.

CALLS has a function for each op, which stands in the file of its family. It takes the
sample's input, arguments and keyword arguments, and returns the call: the Go name, its
tensors, its attributes. Or it raises Skip with the reason for which the sample is no call of
one op here.
"""

import composed
import composed_reductions
import drawing
import elementwise
import indexing
import masked
import matrices
import networks
import reductions
import shapes
import transforms
import windows
from unjudged import UNJUDGED  # noqa: F401

FAMILIES = {
    "Elementwise ops": elementwise.CALLS,
    "Reductions, scans and sorting": {**reductions.CALLS, **masked.CALLS, **composed_reductions.CALLS},
    "Shapes, views and new tensors": {**shapes.CALLS, **composed.SHAPES},
    "Random numbers and tensors without values": drawing.CALLS,
    "Indexing and scatters": {**indexing.CALLS, **composed.INDEXING},
    "Linear algebra": {**matrices.CALLS, **composed.MATRICES},
    "Fourier transforms": transforms.CALLS,
    "Activations, norms and losses": {**networks.CALLS, **composed.NETWORKS},
    "Convolutions, pools and resampling": windows.CALLS,
}

CALLS = {name: call for calls in FAMILIES.values() for name, call in calls.items()}
