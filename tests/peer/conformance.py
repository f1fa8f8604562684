"""Kernels that show one property of Pallas each. The first 30 numbers in names are the rows of the table in docs/peer.md."""
import conformance_grids  # isort: skip
import conformance_cores  # isort: skip
import conformance_pipelines  # isort: skip
import conformance_more  # isort: skip

__all__ = ["conformance_cores", "conformance_grids", "conformance_more", "conformance_pipelines"]
