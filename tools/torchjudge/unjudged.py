"""Why ops of OpInfo have no line in CALLS: see samples.py."""

REASONS = {
    "no op here: LDL factors": ["linalg.ldl_factor", "linalg.ldl_factor_ex", "linalg.ldl_solve"],
    "no op here: windows at random places": ["nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d"],
    "no op here: a reduction of bits": ["hash_tensor"],
    "random subspaces: linalg.SVD is exact": ["svd_lowrank", "pca_lowrank"],
    "bins of several axes, whose edges the samples have in no order": ["histogramdd"],
    "shapes alone, which need no call": ["broadcast_shapes"],
    "a backward op, judged as the gradient of the forward one": ["max_pool2d_with_indices_backward"],
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
