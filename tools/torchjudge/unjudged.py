"""Why ops of OpInfo have no line in CALLS: see samples.py."""

REASONS = {
    "no op here: Bessel functions but for the modified ones of the first kind, and Airy functions": [f"special.{n}" for n in (
        "airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_k0", "modified_bessel_k1", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1")],
    "no op here: orthogonal polynomials of a degree that is a tensor": [f"special.{n}" for n in (
        *(f"{s}chebyshev_polynomial_{k}" for s in ("", "shifted_") for k in "tuvw"), "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p")],
    "no op here: incomplete gamma functions": ["igamma", "igammac"],
    "no op here: a loop over remainders": ["gcd", "lcm"],
    "no op here: the inverse of Ldexp": ["frexp"],
    "no op here: LDL factors": ["linalg.ldl_factor", "linalg.ldl_factor_ex", "linalg.ldl_solve"],
    "no op here: windows at random places": ["nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d"],
    "no op here: reductions of segments, and of bits": ["_segment_reduce.lengths", "_segment_reduce.offsets", "hash_tensor"],
    "random subspaces: linalg.SVD is exact": ["svd_lowrank", "pca_lowrank"],
    "a factor of linalg.SVD with signs that are free": ["linalg.polar"],
    "bins of several axes: a call for each": ["histogramdd"],
    "shapes alone, which need no call": ["broadcast_shapes"],
    "a backward op, judged as the gradient of the forward one": ["_softmax_backward_data", "max_pool2d_with_indices_backward", "native_dropout_backward"],
    "internal to PyTorch": ["_chunk_cat", "torch.ops.aten._flash_attention_forward", "torch.ops.aten._efficient_attention_forward"],
    "in chunks whose number format an option chooses; nn.functional.linear_cross_entropy judges the loss": ["nn.functional.linear_cross_entropy.chunked", "nn.functional.linear_cross_entropy.chunked_none"],
    "products of f8 with scales, which OpInfo has for f8 alone": ["torch._scaled_mm", "torch._scaled_mm_v2"],
    "complex numbers of f16: there is no such dtype": ["chalf"],
    "left out by design: sparse tensors": ["sparse.sampled_addmm", "sparse.mm.reduce", "to_sparse"],
    "left out by design: a tensor's memory changes its size": ["resize_", "resize_as_"],
    "left out by design: CUDA source from Python": ["jiterator_unary", "jiterator_binary", "jiterator_4inputs_with_extra_args", "jiterator_binary_return_by_ref", "jiterator_2inputs_2outputs"],
    "option bias_k in every sample, which nn.MultiHeadAttention does not have": ["nn.functional.multi_head_attention_forward"],
}
UNJUDGED = {name: reason for reason, names in REASONS.items() for name in names}
