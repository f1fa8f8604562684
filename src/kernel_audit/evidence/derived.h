// Figures that follow from others, computed again.
#pragma once

#include "kernel_audit/core/error.h"
#include "kernel_audit/evidence/bundle.h"

namespace kernel_audit::evidence {

// Holds every document of a bundle that was read whole against the bundle's files and against itself: the candidate's and the modules'
// hashes, verdicts from their checks and findings, padding and programs from extents, kept arrays against their hashes and element by
// element against the oracle's, modelled buffers from their formula, medians and floors from their samples. kFailed, with the document and
// the figure, for the first that does not follow, and for a document that has not its schema's form.
core::Result<void> VerifyFigures(const Bundle& bundle);

}  // namespace kernel_audit::evidence
